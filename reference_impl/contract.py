"""What differs between contracts: named behaviours, each with the versions that it changed in.

A rule asks `behaviours.<name>`; it never asks for a version. A further change of the product is one further
entry in the history of a behaviour, or one further behaviour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

__all__ = [
    "DEFAULT_CONTRACT",
    "DOCUMENTED",
    "FIRST_VERSION",
    "LAST_VERSION",
    "Behaviours",
    "ByModel",
    "History",
    "behaviours_of",
    "history_of",
]

DEFAULT_CONTRACT = "2.1.7"
DOCUMENTED = "documented"
FIRST_VERSION = "0.2.126"
LAST_VERSION = "2.1.328"

_NAME = re.compile(r"(\d+)\.(\d+)\.(\d+)(\+gated)?")
_RELAXED_SINCE = (2, 1, 208)
"""From here on newer models may edit what they have not read; `+gated` is a version with an older model."""

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ByModel:
    """A value that depends on the class of the model."""

    enforced: Any
    relaxed: Any


@dataclass(frozen=True, slots=True)
class History:
    """How a behaviour was over time: `first` in the oldest version, then what `changes` say from a version on.

    `documented` is what the documents state. `shown_by` are scenarios in which every one of the changes shows.
    """

    first: Any
    changes: Mapping[Version, Any]
    documented: Any
    shown_by: tuple[str, ...]

    def at(self, version: Version, relaxed: bool) -> Any:
        """Return the value in a version."""
        value = self.first
        for since, later in self.changes.items():
            if since <= version:
                value = later
        if isinstance(value, ByModel):
            return value.relaxed if relaxed else value.enforced
        return value


_LIKE_THE_DEFAULT = object()


def since(
    first: Any,
    changes: Mapping[str, Any] | None = None,
    *,
    documented: Any = _LIKE_THE_DEFAULT,
    shown_by: tuple[str, ...] = (),
) -> Any:
    """Declare a behaviour by its history; `changes` are by version, oldest first."""
    versions = {_version(version): value for version, value in (changes or {}).items()}
    assert list(versions) == sorted(versions)
    history = History(first, versions, None, shown_by)
    if documented is _LIKE_THE_DEFAULT:
        documented = history.at(_version(DEFAULT_CONTRACT), relaxed=False)
    return field(metadata={"history": History(first, versions, documented, shown_by)})


def _version(text: str) -> Version:
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviours:
    """The choices of one contract. None means that the rule does not exist there."""

    relative_paths_are_resolved: bool = since(True, documented=False)
    """A path that does not begin with `/` is taken from the root; otherwise the call is refused."""
    read_expands_home: bool = since(
        False, {"2.1.14": True}, shown_by=("paths/tilde-read-existing", "paths/space-at-end")
    )
    """Read takes `~` for the home directory and cuts blanks around the path, as Edit and Write do everywhere."""
    working_directory_is_named: bool = since(
        False, {"2.1.51": True}, shown_by=("paths/missing-read", "paths/missing-edit")
    )
    """The refusal of a missing file tells the working directory."""
    strings_stand_for_values: bool = since(
        False, {"2.1.72": True}, shown_by=("arguments/edit-replace-all-string", "arguments/read-limit-string")
    )
    """A string that looks like the number or boolean that is asked for stands for it."""
    line_numbers: str = since(
        "any",
        {"2.1.112": "strict", "2.1.207": "lenient"},
        shown_by=("arguments/read-offset-negative", "arguments/read-limit-zero"),
    )
    """Which `offset` and `limit` Read takes: any number, whole ones from 0 and 1 on, or whole ones of which a lower one
    counts as not given."""
    wrong_options_are_repeated: bool = since(
        True, {"2.1.7": False}, shown_by=("notebooks/unknown-edit-mode", "notebooks/unknown-cell-type")
    )
    """The refusal of a value that is none of the options repeats it."""
    largest_number_is_included: bool = since(
        False, {"2.1.328": True}, shown_by=("arguments/read-offset-largest-number",)
    )
    """The refusal of a number that is too big says that the largest one is allowed."""
    exponents_are_dropped: bool = since(
        True, {"1.0.60": False}, shown_by=("arguments/read-offset-largest-number",)
    )
    """A number is read up to its exponent."""
    replacements_are_counted: bool = since(
        True,
        {"1.0.8": False},
        shown_by=("arguments/edit-expected-replacements", "arguments/edit-replace-all-false"),
    )
    """Edit takes `expected_replacements`, how often the text must occur, instead of `replace_all`."""
    pages_can_be_asked_for: bool = since(False, {"2.1.40": True}, shown_by=("arguments/read-pages",))
    """Read takes `pages`, which matters for a PDF."""
    other_names_are_understood: bool = since(False, {"2.1.181": True}, shown_by=("arguments/edit-aliases",))
    """Edit takes `path`, `old_str` and `new_str` as well."""
    file_text_is_content: bool = since(False, {"2.1.328": True}, shown_by=("arguments/write-alias",))
    """Write takes `file_text` for `content`, and tells so."""
    notebook_edit_is_deferred: bool = since(
        False,
        {"2.1.299": True},
        shown_by=("arguments/notebook-edit-without-needed", "notebooks/unknown-edit-mode"),
    )
    """The model has to ask for the schema of NotebookEdit; it gets it with the refusal of wrong arguments."""
    removed_tool_remark: str = since(
        "",
        {
            "2.1.112": ". {tool} exists but is not enabled in this context. Use one of the available tools instead.",
            "2.1.328": ". {tool} is disabled for this session, in subagents as well as here.",
        },
        shown_by=("permissions/edit-taken-away", "permissions/write-taken-away"),
    )
    """What the refusal of a call says of a tool that a deny rule takes away."""
    validation_asks_rules: bool = since(
        False, {"2.0.76": True}, shown_by=("permissions/edit-denied", "permissions/read-denied-missing")
    )
    """A deny rule is asked for first, before anything is looked at, not only before the execution."""
    rules_follow_links: bool = since(
        False,
        {"1.0.126": True},
        shown_by=("permissions/link-into-denied", "permissions/linked-directory-into-denied"),
    )
    """A deny rule also closes the links to what it closes."""
    rules_fail_at_their_base: bool = since(
        True, {"1.0.60": False}, shown_by=("permissions/rule-for-everything-and-what-is-outside",)
    )
    """The directory that rules begin at cannot be checked against them."""
    root_rules_are_anchored: bool = since(
        True, {"1.0.126": False, "2.1.87": True}, shown_by=("permissions/root-rule-for-one-name",)
    )
    """A rule for one name at the root of the file system means that one only, not every file of that name."""
    rules_may_hold_parentheses: bool = since(
        False, {"2.0.76": True}, shown_by=("permissions/parentheses-in-rule",)
    )
    """The pattern of a rule may hold parentheses; otherwise such a rule closes nothing."""
    rules_are_relaxed: bool = since(
        False,
        {"1.0.126": True},
        shown_by=("permissions/dot-slash-rule", "permissions/stars-and-the-directory-itself"),
    )
    """`./` in front of a pattern does not matter, and `/**` after it closes the directory itself too."""
    star_takes_tools_away: bool = since(
        False, {"2.1.40": True}, shown_by=("permissions/rule-for-everything-and-what-is-outside",)
    )
    """A rule with the pattern `*` takes the tool away."""
    read_rules_close_to_changes: bool = since(
        False,
        {"2.1.228": True},
        shown_by=("permissions/read-denied-write-new", "permissions/read-denied-edit-unread"),
    )
    """A deny rule for Read closes paths to Edit and Write as well."""
    rules_may_be_comments: bool = since(True, {"2.1.260": False}, shown_by=("permissions/comment-as-rule",))
    """A deny rule whose pattern begins with `#` closes nothing."""
    null_in_path: str = since(
        "unseen",
        {"2.0.76": "seen", "2.1.112": "fatal", "2.1.328": "named"},
        shown_by=("paths/nul-in-path", "paths/nul-in-path-edit"),
    )
    """How a path with a NUL character is refused, see `refuse_null`."""
    write_sees_null: bool = since(False, {"1.0.126": True}, shown_by=("paths/nul-in-path-write",))
    """Write refuses a path with a NUL character before it writes, even where the other tools do not see it."""
    unclear_paths_are_refused: bool = since(
        False, {"2.1.87": True}, shown_by=("paths/parent-is-file-read", "links-and-modes/loop-write")
    )
    """A path of which the system does not tell whether there is something (a link to itself, a file as a directory) is
    refused in the system's words; otherwise it counts as missing."""
    look_call: str = since(
        "stat",
        {"2.1.113": "statx", "2.1.228": "stat"},
        shown_by=("paths/name-of-256-bytes", "links-and-modes/loop-write"),
    )
    """What the system calls it to look at a path."""
    read_looks_first: bool = since(
        True, {"2.1.328": False}, shown_by=("paths/parent-is-file-read", "paths/name-of-256-bytes-read")
    )
    """Read looks at a path before it opens it."""
    edit_looks_first: bool = since(
        False, {"2.1.112": True}, shown_by=("paths/parent-is-file-edit", "paths/trailing-slash-edit")
    )
    """Edit looks at a path before it opens it."""
    failures_are_explained: bool = since(False, {"1.0.53": True}, shown_by=("creation/edit-at-directory",))
    """A failure of the system while a call is validated is told in the system's words."""
    edit_opens_first: bool = since(
        False, {"2.1.87": True}, shown_by=("paths/directory-edit", "paths/directory-named-like-notebook")
    )
    """Edit reads the file before it asks whether it may be edited; a directory fails there."""
    read_names_directories: bool = since(
        False, {"2.1.87": True}, shown_by=("paths/directory-read", "paths/empty-path-read")
    )
    """Read names the directory that it is given as a file."""
    write_names_directories: bool = since(
        False, {"2.1.277": True}, shown_by=("paths/directory-write", "paths/tilde-alone-write")
    )
    """Write names the directory that it is given as a file."""
    read_drops_final_slash: bool = since(
        False,
        {"2.1.328": True},
        shown_by=("paths/trailing-slash-read", "paths/directory-read-trailing-slash"),
    )
    """Read takes no notice of a slash after the file's name."""
    write_drops_final_slash: bool = since(
        True, {"1.0.126": False, "2.1.328": True}, shown_by=("paths/trailing-slash-write",)
    )
    """Write of a new file takes no notice of a slash after the file's name."""
    files_are_replaced: bool = since(
        False,
        {"1.0.45": True},
        shown_by=("links-and-modes/edit-of-hard-link", "links-and-modes/write-link-chain"),
    )
    """A new file takes the place of the old one; otherwise the old one is written in place."""
    dangling_links_are_followed: bool = since(
        True, {"1.0.45": False, "2.1.87": True}, shown_by=("links-and-modes/dangling-create",)
    )
    """Writing a link to nothing creates what it leads to; otherwise a file takes the place of the link."""
    link_refusal: str = since(
        "",
        {
            "2.1.129": "Refusing to write through symlink: {path}. Resolve the symlink and pass the real target path "
            "explicitly.",
            "2.1.328": "Refusing to write {path}: it is a symbolic link. Write to the link's target path instead: "
            "{target}.",
        },
        shown_by=("links-and-modes/edit-through-symlink", "links-and-modes/dangling-write"),
    )
    """How Edit and Write refuse a symbolic link; nothing if they follow it."""
    links_are_examined: bool = since(
        False, {"2.1.328": True}, shown_by=("links-and-modes/loop-read", "paths/parent-is-dangling-link")
    )
    """Read refuses links that go round in a circle, Edit and Write refuse what is below a link to nothing."""
    dangling_parents_are_overlooked: bool = since(
        False, {"2.1.113": True}, shown_by=("paths/parent-is-dangling-link",)
    )
    """A link to nothing in place of a directory is not noticed before the file is opened."""
    home_is_expanded: bool = since(
        False, {"1.0.126": True}, shown_by=("paths/tilde-write", "paths/blanks-behind-write")
    )
    """Edit and Write take `~` for the home directory and cut blanks around the path when they write."""
    blanks_after_paths_are_suspicious: bool = since(
        False,
        {"2.1.87": True, "2.1.112": False},
        shown_by=("paths/blanks-behind-write", "paths/newline-around-edit"),
    )
    """Edit and Write ask for a permission of its own for a path that ends with a blank, and nobody gives it."""
    paths_fold: bool = since(
        False,
        {"2.1.7": True},
        shown_by=("paths/dot-dot-through-missing", "links-and-modes/dot-dot-behind-linked-directory"),
    )
    """`.`, `..` and `//` in an absolute path fold before Read looks at anything, as they do for Edit and Write."""
    edit_looks_where_it_writes: bool = since(
        False, {"2.1.7": True}, shown_by=("paths/tilde-write-then-edit", "paths/blanks-around-edit")
    )
    """Edit expands `~` and cuts blanks around the path before it looks at the file, not only before it writes it."""
    new_files_are_private: bool = since(
        False,
        {"2.0.76": True, "2.1.7": False},
        shown_by=("links-and-modes/dangling-create", "links-and-modes/loop-write"),
    )
    """A file that was not there before gets the mode 0600."""
    json_errors_are_brief: bool = since(
        False,
        {"2.1.113": True},
        shown_by=("notebooks/broken-json-at-the-edge", "notebooks/broken-json-numbers"),
    )
    """What is wrong with a text that is not JSON is told without its place, in the words of another engine."""
    quotes_are_folded: bool = since(False, {"1.0.45": True}, shown_by=("quotes/straight-finds-curly-double",))
    """Edit finds curly quotes by straight ones, and the other way round."""
    quotes_are_taken_over: bool = since(
        False, {"2.1.47": True}, shown_by=("quotes/straight-quotes-inserted-where-curly-matched",)
    )
    """Where folded quotes matched, straight quotes of the new text become curly if those in the file are."""
    escapes_are_swapped: bool = since(
        False,
        {"2.1.118": True},
        shown_by=("literal-text/character-for-escape", "literal-text/composed-and-decomposed"),
    )
    """Edit finds `\\uXXXX` by its character, and the other way round; it says so if neither is there."""
    escapes_are_decoded: bool = since(
        False, {"2.1.160": True}, shown_by=("literal-text/unicode-escape", "literal-text/write-special-text")
    )
    """`\\uXXXX` in what Edit and Write are given becomes the character before any rule is applied."""
    windows_paths_are_spared: bool = since(False, {"2.1.228": True}, shown_by=("literal-text/windows-path",))
    """A text with a path of Windows in it keeps its escapes."""
    paths_are_composed: bool = since(
        False, {"2.1.40": True, "2.1.160": False}, shown_by=("state/spelling-unicode-forms",)
    )
    """Letters of a path that can be composed are, so that a name with decomposed letters cannot be reached."""
    marks_are_kept_apart: bool = since(False, {"2.1.228": True}, shown_by=("encodings/bom-in-old-string",))
    """A byte order mark belongs to the format of a file, not to its text, so Edit does not see it."""
    write_keeps_the_mark: bool = since(False, {"2.1.299": True}, shown_by=("write/over-byte-order-mark",))
    """Write over a file with a byte order mark writes one; otherwise it drops it."""
    carriage_returns_are_doubled: bool = since(
        True,
        {"2.1.88": False},
        shown_by=("line-endings/crlf-in-new-string-of-crlf-file", "line-endings/double-cr"),
    )
    """In a file with `\\r\\n` a `\\r\\n` of the text gets a second `\\r`."""
    write_keeps_line_endings: bool = since(
        True,
        {"2.1.78": False},
        shown_by=("line-endings/write-lf-over-crlf", "line-endings/write-new-beside-four-crlf-files"),
    )
    """Write takes over the line endings of the old file, or of the files around a new one."""
    own_line_endings_are_unified: bool = since(
        False, {"2.1.228": True}, shown_by=("staleness/touch-of-own-crlf-write",)
    )
    """What Write wrote is remembered with `\\n` line ends; otherwise as it was given."""
    unwritable_files_are_refused: bool = since(
        False, {"2.1.328": True}, shown_by=("encodings/nul-elsewhere", "encodings/latin-1-write")
    )
    """Edit and Write refuse a file that they could not write back as it was."""
    markdown_keeps_blanks: bool = since(
        False,
        {"2.1.88": True},
        shown_by=("whitespace/trailing-blanks-in-markdown", "write/trailing-blanks-markdown"),
    )
    """No blanks are cut in what is inserted into a Markdown file."""
    own_files_are_guarded: bool = since(
        False, {"2.1.87": True}, shown_by=("settings/valid-edit", "settings/write-is-not-validated")
    )
    """Edit and Write ask for a permission of its own for a file in a `.claude` directory, and nobody gives it."""
    settings_edition: int = since(
        0,
        {
            "1.0.126": 1,
            "2.0.0": 2,
            "2.0.76": 3,
            "2.1.7": 4,
            "2.1.87": 5,
            "2.1.112": 6,
            "2.1.160": 7,
            "2.1.207": 8,
        },
        shown_by=("settings/wrong-choices",),
    )
    """Which edition of the schema of settings files holds: keys, values, and the words for wrong ones.
    0: settings are not checked."""
    skipping_is_a_setting: bool = since(
        True, {"2.1.40": False}, shown_by=("settings/every-setting", "settings/wrong-types")
    )
    """Settings that say what to skip, and one for permissions, are known."""
    settings_are_lenient: bool = since(
        False,
        {"2.1.328": True},
        shown_by=(
            "settings/wrong-hooks",
            "settings/permission-rule-wrong",
            "settings/wrong-types-of-nothing",
        ),
    )
    """Unknown hook events are told together, `attribution` may be a boolean, rules may hold any parentheses."""
    settings_have_any_case: bool = since(False, {"2.0.76": True}, shown_by=("settings/upper-case-name",))
    """The name of a settings file counts in any letter case."""
    changed_keys_alone_are_explained: bool = since(
        False, {"2.1.328": True}, shown_by=("settings/null-settings", "settings/unread")
    )
    """The refusal of invalid settings shows the schema of the keys that were changed, not of all."""
    first_line_is_no_part: bool = since(
        False, {"2.1.108": True}, shown_by=("staleness/edit-after-touch-offset-only",)
    )
    """A Read from line 1 on without a limit counts as one of the whole file."""
    writing_looks_first: bool = since(
        False, {"2.1.207": True, "2.1.251": False}, shown_by=("race/parent-replaced-by-file-during-call",)
    )
    """Edit and Write look at the path again right before they write."""
    temporary_names_are_longer: bool = since(False, {"2.1.207": True}, shown_by=("paths/name-of-255-bytes",))
    """A file is written under its name with something added before it takes its place; that name may be too long."""
    trailing_blanks_are_cut: bool = since(
        False,
        {"1.0.114": True},
        documented=False,
        shown_by=("whitespace/trailing-blanks-are-the-whole-change",),
    )
    """Edit (of a file that exists) and Write cut the blanks before each line's end of what they insert."""
    line_endings_of_utf_16_are_seen: bool = since(
        False, {"2.1.87": True}, documented=True, shown_by=("encodings/utf-16-crlf",)
    )
    """The line endings of a UTF-16 file are found in its text; otherwise in its bytes, where there are none."""
    byte_order_marks_are_hidden: bool = since(
        False, {"2.1.41": True}, shown_by=("encodings/bom-shown", "encodings/bom-alone")
    )
    """Read does not show a byte order mark at the beginning of a file."""
    utf_16_is_shown: bool = since(
        False, {"2.1.299": True}, shown_by=("encodings/utf-16-read", "encodings/utf-16-odd-length")
    )
    """Read decodes a file that begins with a UTF-16 little-endian byte order mark; otherwise all is UTF-8."""
    unwritable_files_are_told: bool = since(
        False, {"2.1.299": True}, shown_by=("encodings/nul-read", "encodings/latin-1-read")
    )
    """Read tells of a file of lines that Edit and Write could not write back as it was."""
    more_files_are_binary: bool = since(
        False, {"2.1.87": True}, shown_by=("media/bmp", "media/object-file", "media/wasm")
    )
    """Read refuses `.bmp`, `.o` and `.wasm` files as binary too."""
    binary_advice: str = since("tools", {"2.1.328": "skill"}, shown_by=("media/zip", "media/executable"))
    """Which advice stands in the refusal of a binary file."""
    bitmaps_are_images: bool = since(True, {"1.0.126": False}, shown_by=("media/bmp",))
    """Read shows `.bmp` files as images."""
    broken_images_are_named_by_name: bool = since(
        True, {"2.0.65": False}, shown_by=("media/riff-that-is-no-webp",)
    )
    """The type of an image that is not whole is that of its name; otherwise its first bytes tell the type."""
    empty_images_are_named: bool = since(False, {"2.1.87": True}, shown_by=("media/empty-png",))
    """The refusal of an empty image names the file."""
    image_contents_matter: bool = since(
        False, {"2.1.160": True}, shown_by=("media/text-named-png", "media/riff-that-is-no-webp")
    )
    """Read refuses a file with the name of an image whose bytes are none, or do not have its size."""
    images_need_no_extension: bool = since(
        False, {"2.1.207": True}, shown_by=("media/png-without-extension",)
    )
    """Read shows an image whose name has no extension."""
    pdfs_are_shown: bool = since(False, {"1.0.60": True}, shown_by=("media/pdf", "media/text-named-pdf"))
    """Read shows PDF documents; otherwise it refuses them as binary."""
    pdf_size_is_limited: bool = since(False, {"2.1.7": True}, shown_by=("media/pdf-too-large",))
    """Read refuses a PDF of more than 20 MB."""
    pdf_headers_matter: bool = since(
        False, {"2.1.87": True}, shown_by=("media/text-named-pdf", "media/pdf-sizes")
    )
    """Read refuses a PDF that does not begin as one."""
    documents_stand_in_answers: bool = since(False, {"2.1.328": True}, shown_by=("media/pdf",))
    """The document of a PDF stands in the answer itself; otherwise it follows in a message of its own."""
    media_are_remembered: bool = since(
        True,
        {"2.0.76": False},
        documented=True,
        shown_by=("gate/image-read-then-write", "staleness/change-in-an-image"),
    )
    """A Read of an image counts as a Read."""
    pdfs_are_remembered: bool = since(False, documented=True)
    """A Read of a PDF counts as a Read."""
    line_prefix: str = since(
        "{:>6}\t",
        {"1.0.21": "{:>6}→", "2.1.86": "{}\t"},
        shown_by=("read-output/numbered-lines", "read-output/offset-alone"),
    )
    """What stands before a numbered line, as a format of its number."""
    emptiness_is_told: str = since(
        "for no text",
        {"1.0.53": "never", "2.1.208": "for empty files"},
        shown_by=("read-output/empty-file",),
    )
    """When Read, having no line to show, says that the file is empty; otherwise it warns of the file's end."""
    blank_ranges_are_shown: bool = since(
        False,
        {"2.1.228": True},
        shown_by=("read-output/blank-line-by-range", "read-output/offset-behind-a-final-newline"),
    )
    """A Read of one empty line shows it with its number; otherwise it warns of the file's end."""
    lines_are_passed_one_by_one: bool = since(
        False, {"2.1.87": True}, shown_by=("read-output/offset-negative", "read-output/fractional-offset")
    )
    """Read goes through the lines and takes those within the range; otherwise it cuts the range out of their list."""
    unchanged_files_are_told: str = since(
        "",
        {
            "2.1.86": "File unchanged since last read. The content from the earlier Read tool_result in this "
            "conversation is still current — refer to that instead of re-reading.",
            "2.1.129": "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.",
            "2.1.319": "",
        },
        shown_by=("read-output/read-twice", "read-output/read-after-refused-edit"),
    )
    """What answers the same Read of a file that has not changed since; nothing: it is shown again."""
    answers_end_without_blanks: bool = since(
        False, {"2.1.328": True}, shown_by=("read-output/final-newline", "read-output/trailing-blanks")
    )
    """An answer loses the blanks at its end, unless it consists of blocks as of a notebook."""
    empty_answers_are_told: bool = since(False, {"2.1.87": True}, shown_by=("notebooks/read-empty-notebook",))
    """An answer without a character says so."""
    kilobytes_are_whole: bool = since(
        True, {"1.0.23": False}, shown_by=("sizes/one-megabyte", "sizes/large-file-edited-after-refused-read")
    )
    """Sizes of files of lines are told in whole kilobytes."""
    size_advice: str = since(
        "GrepTool",
        {"2.1.87": "search"},
        shown_by=("sizes/one-line-of-many-tokens", "notebooks/read-large-content"),
    )
    """Which advice stands in the refusal of what is too much to show."""
    large_reads_are_offered: bool = since(
        False, {"2.1.328": True}, shown_by=("sizes/one-line-of-many-tokens",)
    )
    """The refusal of a file of lines that is too much to show tells how to read it nevertheless."""
    offsets_ask_for_parts: bool = since(True, {"2.1.87": False}, shown_by=("sizes/large-file-with-offset",))
    """An offset lets Read show a part of a large file, as a limit does."""
    part_size_is_limited: bool = since(
        True, {"2.1.87": False}, shown_by=("sizes/range-over-the-limit-of-bytes",)
    )
    """A part of a file must not be larger than a file may be."""
    long_files_are_cut: bool = since(
        False, {"2.1.146": True}, shown_by=("sizes/more-than-25000-tokens", "sizes/token-cap-before-line-cap")
    )
    """A Read of more tokens than allowed shows the first lines; it is refused where a limit was given."""
    cut_is_told_first: bool = since(
        True, {"2.1.207": False}, shown_by=("sizes/more-than-25000-tokens", "sizes/262144-bytes")
    )
    """What tells that only the first lines are shown stands before them; otherwise in a reminder after them."""
    notebooks_have_a_reader: bool = since(
        True, {"1.0.126": False}, shown_by=("notebooks/read-raw-cell", "notebooks/edit-upper-case-extension")
    )
    """Read refuses notebooks, which a tool of their own reads."""
    broken_notebooks_are_told: bool = since(
        False, {"2.1.207": True}, shown_by=("notebooks/broken-json-words",)
    )
    """The refusal of a notebook that is not JSON says so before the words of the engine."""
    notebook_check: str = since(
        "",
        {"2.1.207": "cells", "2.1.228": "sources", "2.1.328": "lines"},
        shown_by=("notebooks/read-odd-cells",),
    )
    """What Read looks for in a notebook: cells, a text or a list as the source of each, only lines in that list."""
    variable_of_parts: str = since("H", {"2.1.207": "e"}, shown_by=("notebooks/read-odd-outputs",))
    """What the brief words of the engine call a cell or an output."""
    unknown_outputs_are_told: bool = since(False, {"2.1.327": True}, shown_by=("notebooks/read-odd-outputs",))
    """Read tells of an output of an unknown type; otherwise it refuses the notebook."""
    output_texts_are_measured: bool = since(
        False, {"2.1.112": True}, shown_by=("notebooks/read-large-outputs",)
    )
    """The texts of a cell's outputs must not be too large; otherwise their whole description."""
    notebooks_are_named: bool = since(True, {"2.1.228": False}, shown_by=("notebooks/read-large-content",))
    """The commands in the refusal of a large notebook have its path."""
    notebook_edit_needs_read: bool = since(
        False, {"2.1.112": True}, shown_by=("notebooks/notebook-edit-unread", "notebooks/notebook-edit-stale")
    )
    """NotebookEdit refuses a notebook that was not read, or changed since then."""
    notebook_edit_remembers: bool = since(
        False, {"2.1.87": True}, shown_by=("notebooks/write-after-notebook-edit",)
    )
    """A notebook that NotebookEdit changed is known as it is then."""
    notebook_edit_opens_first: bool = since(False, {"2.1.87": True}, shown_by=("notebooks/nul-in-path",))
    """NotebookEdit opens the notebook before it asks whether there is one."""
    notebook_edit_overlooks_marks: bool = since(
        False, {"2.0.76": True}, shown_by=("notebooks/notebook-edit-byte-order-mark",)
    )
    """NotebookEdit does not mind a byte order mark when it looks for the cell."""
    notebook_edit_checks_twice: bool = since(
        False, {"2.1.87": True}, shown_by=("notebooks/notebook-edit-byte-order-mark",)
    )
    """Right before writing, NotebookEdit tells in its own words what is not JSON; otherwise in the engine's."""
    numbers_come_first: bool = since(True, {"2.0.76": False}, shown_by=("notebooks/id-like-a-number",))
    """`cell-1` is the second cell, even if another cell has that id."""
    cells_are_found_by_index: bool = since(
        False, {"2.0.76": True}, shown_by=("notebooks/notebook-edit-odd-notebooks",)
    )
    """The refusal of a notebook without cells says that an index was looked for; otherwise a cell."""
    cells_are_numbered: bool = since(
        True, {"1.0.60": False}, shown_by=("notebooks/replace-cell", "notebooks/insert-without-cell")
    )
    """NotebookEdit takes `cell_number` for the cell; otherwise `cell_id`."""
    final_newlines_of_notebooks_stay: bool = since(
        False, {"2.1.328": True}, shown_by=("notebooks/final-newline-of-the-file",)
    )
    """NotebookEdit keeps the line end at the end of the file."""
    cells_without_ids_are_named: bool = since(
        False, {"2.1.328": True}, shown_by=("notebooks/cell-by-number", "notebooks/insert-after-cell")
    )
    """The answers of NotebookEdit name cells without ids as the model did, otherwise as undefined."""
    default_line_limit: int | None = since(None, documented=2000)
    """Lines that Read returns when `limit` is not given."""
    line_width_limit: int | None = since(None, documented=2000)
    """Characters of each line that Read returns."""
    times_of_reading_count: bool = since(
        True, {"1.0.114": False}, shown_by=("staleness/edit-after-change", "staleness/write-after-change")
    )
    """A file counts as changed if it is newer than the moment of the Read; otherwise if newer than it was then."""
    own_content_is_compared: bool = since(
        False,
        {"2.1.7": True},
        shown_by=("staleness/edit-after-touch-of-own-edit", "staleness/edit-after-touch-of-own-write"),
    )
    """A file that was only touched after an Edit or Write may be edited, because its content is compared."""
    whole_reads_are_compared: bool = since(
        False,
        {"2.1.108": True},
        documented=True,
        shown_by=("staleness/edit-after-touch-full-read", "staleness/latest-read-is-full"),
    )
    """A file that was only touched after a whole Read may be edited, because its content is compared."""
    final_carriage_return_is_lost: bool = since(
        False, {"2.1.87": True}, shown_by=("line-endings/read-cr-at-the-end", "line-endings/lone-cr-file")
    )
    """Read does not see a `\\r` at the very end of a file."""
    every_line_is_a_whole_read: bool = since(
        False, {"2.1.228": True}, shown_by=("staleness/edit-after-touch-limit-only",)
    )
    """A Read with offset or limit is a whole Read if it shows every line."""
    write_compares_contents: bool = since(
        False, {"2.1.108": True}, shown_by=("staleness/write-after-touch-of-own-edit",)
    )
    """Write compares the content of a touched file as Edit does; otherwise the time alone decides."""
    edit_needs_read: bool = since(
        True, {"2.1.208": ByModel(enforced=True, relaxed=False)}, shown_by=("gate/edit-unread",)
    )
    """Edit refuses a file in the working directory that was not read."""
    write_needs_read: bool = since(
        True, {"2.1.228": ByModel(enforced=True, relaxed=False)}, shown_by=("gate/write-unread",)
    )
    """Write refuses a file in the working directory that was not read."""
    edit_recovers: bool = since(
        False, {"2.1.208": True}, shown_by=("staleness/edit-after-change", "race/edit-changed-during-call")
    )
    """Edit of a file that changed goes through if the text still occurs as it should."""
    stale_wording: str = since(
        "File has been unexpectedly modified. Read it again before attempting to write it.",
        {
            "2.1.90": "File content has changed since it was last read. This commonly happens when a linter or "
            "formatter run via Bash rewrites the file. Call Read on this file to refresh, then retry the edit."
        },
        shown_by=("race/write-changed-during-call",),
    )
    """What refuses, right before writing, a file that changed."""
    several_edits_can_be_made: bool = since(True, {"2.0.0": False}, shown_by=("multi-edit/several-edits",))
    """There is MultiEdit."""
    edit_lists_may_be_text: bool = since(True, {"1.0.60": False}, shown_by=("multi-edit/edits-as-text",))
    """MultiEdit takes its list of edits as JSON text, too."""
    edit_lists_are_told_whole: bool = since(
        True, {"1.0.126": False}, shown_by=("multi-edit/edit-without-new-string",)
    )
    """What is wrong with an edit of MultiEdit is told of its list; otherwise of the edit."""
    reading_measures_first: bool = since(
        False,
        {"2.1.40": True, "2.1.328": False},
        shown_by=("race/read-deleted-during-call", "paths/parent-is-file-read"),
    )
    """Before it reads, Read asks the system for the size of the file."""
    missing_is_found_at_last: bool = since(
        False, {"2.1.41": True}, shown_by=("race/read-created-during-call", "race/read-deleted-during-call")
    )
    """Read finds out that a file is missing when it reads, not when it is validated."""
    ten_calls_run_at_once: bool = since(
        True, {"2.1.160": False}, shown_by=("state/read-again-before-the-eleventh",)
    )
    """Of many calls of a message ten run at once, so that the eleventh knows what the first did."""
    execution_checks_again: bool = since(
        False, {"1.0.112": True}, shown_by=("race/write-changed-during-call",)
    )
    """Right before writing, Edit and Write compare the file with what is known of it once more."""
    execution_asks_for_a_read: bool = since(
        False, {"2.1.112": True}, shown_by=("race/write-new-created-during-call",)
    )
    """A file that appeared before writing is refused as unread; otherwise as changed."""
    write_opens_first: bool = since(False, {"2.1.87": True}, shown_by=("race/directory-made-during-call",))
    """Right before writing, Write reads the file before it compares times."""
    directories_are_opened: bool = since(
        False,
        {"2.1.251": True},
        shown_by=("race/directory-deleted-during-edit", "race/parent-replaced-by-file-during-call"),
    )
    """Right before writing, Edit and Write open the directory of the file."""
    parents_are_made_first: bool = since(
        False, {"2.1.87": True, "2.1.207": False}, shown_by=("race/directory-deleted-during-edit",)
    )
    """Edit makes missing directories before it finds out whether it can replace anything."""
    execution_matches_again: bool = since(
        False,
        {"2.1.328": True},
        shown_by=("race/target-doubled-during-call", "race/edit-new-created-during-call"),
    )
    """Right before writing, Edit refuses several matches and a creation over content once more."""
    edits_are_shown: bool = since(True, {"2.1.20": False}, shown_by=("results/edit-of-the-first-line",))
    """The answer of Edit shows the lines around the change."""
    replacements_are_quoted: bool = since(True, {"2.1.87": False}, shown_by=("replace-all/after-refusal",))
    """The answer of an Edit with `replace_all` quotes both strings."""
    writes_are_shown: bool = since(True, {"2.1.47": False}, shown_by=("gate/write-after-read",))
    """The answer of a Write over a file shows the content."""
    every_match_is_replaced: bool = since(
        True,
        {"1.0.8": False},
        shown_by=("creation/edit-replaces-newlines", "creation/edit-replaces-blank-file"),
    )
    """Edit and MultiEdit replace every occurrence of what was counted in the file before, also every one of nothing
    in the lines that Edit shows."""
    state_is_told: bool = since(
        False, {"2.1.129": True}, shown_by=("gate/edit-after-read", "gate/write-after-read")
    )
    """The answers of Edit and Write tell that the model knows all of the file now."""
    only_seen_content_is_current: bool = since(
        False, {"2.1.328": True}, shown_by=("gate/edit-unread", "gate/partial-read-edit-inside")
    )
    """The answer of Edit tells so only if the model has seen all of the file; otherwise always."""
    remembered_files: int | None = since(
        None,
        {"1.0.60": 10, "2.1.87": None},
        documented=None,
        shown_by=("state/eleven-files-read", "state/eleven-files-written"),
    )
    """How many files a session remembers."""
    changed_reads_are_noticed: bool = since(
        False,
        {"1.0.60": True, "2.0.76": False},
        shown_by=("links-and-modes/edit-link-makes-target-stale",),
    )
    """This also happens to files that were only read."""
    changed_files_are_noticed: bool = since(True, documented=False)
    """After each message a file that is remembered whole and is newer on disk is read again. The model is told what
    changed in it, so the next Edit or Write goes through."""


def history_of(name: str) -> History:
    """Return the history of a behaviour. KeyError: there is none of that name."""
    histories: dict[str, History] = {each.name: each.metadata["history"] for each in fields(Behaviours)}
    return histories[name]


@lru_cache(maxsize=64)
def behaviours_of(contract: str | Behaviours) -> Behaviours:
    """Return the behaviours of a contract, or those given.

    A contract is `documented`, or any version from FIRST_VERSION to LAST_VERSION, published or not; from 2.1.208
    on also with `+gated`. ValueError: the reference does not know it.
    """
    if isinstance(contract, Behaviours):
        return contract
    histories: dict[str, History] = {each.name: each.metadata["history"] for each in fields(Behaviours)}
    if contract == DOCUMENTED:
        return Behaviours(**{name: history.documented for name, history in histories.items()})
    match = _NAME.fullmatch(contract)
    version = _version(contract.partition("+")[0]) if match else (0, 0, 0)
    gated = match is not None and match[4] is not None
    known = _version(FIRST_VERSION) <= version <= _version(LAST_VERSION)
    if not known or (gated and version < _RELAXED_SINCE):
        raise ValueError(
            f"unknown contract {contract!r}; the reference knows {DOCUMENTED}, the versions {FIRST_VERSION} to "
            f"{LAST_VERSION}, and with an older model 2.1.208+gated to {LAST_VERSION}+gated"
        )
    relaxed = version >= _RELAXED_SINCE and not gated
    return Behaviours(**{name: history.at(version, relaxed) for name, history in histories.items()})
