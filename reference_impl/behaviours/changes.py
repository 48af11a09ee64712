"""Declare behaviours of changes by Edit and Write: matching, validation of settings, encoding, and writing."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.versioned import Group, behaviour

__all__ = ["EncodingBehaviours", "MatchingBehaviours", "SettingsBehaviours", "WritingBehaviours"]


class MatchingBehaviours(Group):
    """How Edit finds text in a file, and replaces it."""

    curly_quotes_match_straight: bool = behaviour(
        False,
        {"1.0.45": True},
        meaning="Straight quotes in `old_string` of Edit match curly quotes in the file, and vice versa.",
        source="2.1.7-read-before-edit.txt, String Matching Algorithm",
        shown_by=("quotes/straight-finds-curly-double",),
    )
    new_text_takes_curly_quotes: bool = behaviour(
        False,
        {"2.1.47": True},
        meaning="If straight quotes in `old_string` of an Edit match curly quotes in the file, Edit also "
        "replaces the straight quotes in `new_string` by curly quotes.",
        shown_by=("quotes/straight-quotes-inserted-where-curly-matched",),
    )
    unicode_escapes_match_characters: bool = behaviour(
        False,
        {"2.1.118": True},
        meaning="An escape `\\uXXXX` in `old_string` of Edit also matches its character, and a character "
        "also matches its escape. If the file contains neither the escape nor the character, the refusal "
        "says that Edit tried both the escape and the character.",
        shown_by=("literal-text/character-for-escape", "literal-text/composed-and-decomposed"),
    )
    missing_texts_keep_half_characters: bool = behaviour(
        True,
        {"2.1.191": False},
        meaning="If a refusal of Edit quotes an `old_string` that contains half of a surrogate pair (a character of "
        "two UTF-16 code units), the quotation contains this half unchanged, instead of as U+FFFD.",
        shown_by=("crossings/half-a-pair-sought",),
    )
    execution_rechecks_matches: bool = behaviour(
        False,
        {"2.1.321": True},
        meaning="Right before Edit writes a file, Edit checks again that the old text occurs only once. Right before "
        "Edit creates a file, Edit checks again that no other program has created the file with content.",
        shown_by=("race/target-doubled-during-call", "race/edit-new-created-during-call"),
    )
    counted_matches_are_all_replaced: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="After Edit and MultiEdit have checked the number of occurrences of the old text, they replace every "
        "occurrence. If the old text is empty, the lines in the answer of Edit contain the new text before each "
        "character of the old content.",
        shown_by=("creation/edit-replaces-newlines", "creation/edit-replaces-blank-file"),
    )


class SettingsBehaviours(Group):
    """Validation of settings files."""

    settings_are_checked: bool = behaviour(
        False,
        {"1.0.83": True},
        meaning="Edit, Write and MultiEdit refuse a change that makes a settings file invalid.",
        shown_by=("multi-edit/settings",),
    )
    settings_schema_edition: int = behaviour(
        1,
        {"2.0.0": 2, "2.0.76": 3, "2.1.7": 4, "2.1.87": 5, "2.1.112": 6, "2.1.160": 7, "2.1.207": 8},
        meaning="The number of the schema that the product uses to validate settings files; the first schema has the "
        "number 1. Each schema of settings files has its own keys and values, and its own messages for wrong values.",
        shown_by=("settings/wrong-choices",),
    )
    classifier_setting_is_known: bool = behaviour(
        True,
        {"2.1.14": False},
        meaning="The schema of settings files contains the key `classifierPermissionsEnabled`.",
        shown_by=("settings/every-setting", "settings/wrong-types"),
    )
    skip_settings_are_known: bool = behaviour(
        True,
        {"2.1.38": False},
        meaning="The schema of settings files contains the keys `skippedMarketplaces` and `skippedPlugins`.",
        shown_by=("settings/every-setting", "settings/wrong-types"),
    )
    settings_check_is_lenient: bool = behaviour(
        False,
        {"2.1.260": True},
        meaning="The validation of a settings file accepts a boolean `attribution`, and any parentheses in "
        "permission rules. If a settings file contains several unknown hook events, the validation reports them as "
        "one problem.",
        shown_by=(
            "settings/wrong-hooks",
            "settings/permission-rule-wrong",
            "settings/wrong-types-of-nothing",
        ),
    )
    settings_file_name_ignores_case: bool = behaviour(
        False,
        {"2.0.19": True},
        meaning="The product recognises the name of a settings file in any letter case.",
        shown_by=("settings/upper-case-name",),
    )
    settings_refusal_shows_changed_keys_only: bool = behaviour(
        False,
        {"2.1.326": True},
        meaning="The refusal of invalid settings shows only the schema of the changed keys, instead of the "
        "schema of all keys.",
        shown_by=("settings/null-settings", "settings/unread"),
    )
    settings_check_expands_dollar_patterns: bool = behaviour(
        True,
        {"2.1.330": False},
        meaning="To validate a settings file, Edit replaces `$&` and similar patterns in `new_string` by "
        "parts of the file, although the file that Edit writes contains the patterns unchanged.",
        shown_by=("settings/replacement-patterns-in-validation", "settings/dollar-key-in-validation"),
    )


class EncodingBehaviours(Group):
    """Encodings, byte order marks and line ends."""

    utf_16_line_endings_are_detected: bool = behaviour(
        False,
        {"2.1.72": True},
        documented=True,
        meaning="To detect the line endings of a UTF-16 file, the product uses the decoded text of the file, instead "
        "of the raw bytes. The raw bytes of UTF-16 never contain `\\r\\n`.",
        source="later-edit-flow.txt, Steps",
        shown_by=("encodings/utf-16-crlf",),
    )
    read_decodes_utf_16: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Read decodes a file with a UTF-16 little-endian byte order mark as UTF-16 instead of as UTF-8.",
        shown_by=("encodings/utf-16-read", "encodings/utf-16-odd-length"),
    )
    empty_files_become_latin_1: bool = behaviour(
        True,
        {"2.0.67": False},
        meaning="If a file was empty, Edit and Write encode its new content as Latin-1: they write only the "
        "lower byte of each UTF-16 code unit.",
        shown_by=("encodings/non-ascii-into-empty",),
    )
    read_hides_byte_order_mark: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read does not show a byte order mark at the beginning of a file.",
        shown_by=("encodings/bom-shown", "encodings/bom-alone"),
    )
    edit_hides_byte_order_mark: bool = behaviour(
        False,
        {"2.1.216": True},
        meaning="Edit treats a byte order mark as part of the format of a file, not as part of its text.",
        shown_by=("encodings/bom-in-old-string",),
    )
    write_keeps_byte_order_mark: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="If Write replaces a file with a byte order mark, Write keeps the mark, instead of removing "
        "it.",
        shown_by=("write/over-byte-order-mark",),
    )
    write_keeps_line_endings: bool = behaviour(
        True,
        {"2.1.77": False},
        documented=False,
        meaning="Write converts the line endings of its content to the line endings of the old file. For a new file, "
        "Write uses the line endings of the existing files in the working directory.",
        source="behaviour-spec.txt, Session State Model",
        shown_by=("line-endings/write-lf-over-crlf", "line-endings/write-new-beside-four-crlf-files"),
    )
    crlf_in_new_text_becomes_crcrlf: bool = behaviour(
        True,
        {"2.1.89": False},
        meaning="If a file has `\\r\\n` line ends, each `\\r\\n` of the new text becomes `\\r\\r\\n`.",
        shown_by=("line-endings/crlf-in-new-string-of-crlf-file", "line-endings/double-cr"),
    )
    read_drops_final_cr: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read ignores a `\\r` at the very end of a file.",
        shown_by=("line-endings/read-cr-at-the-end", "line-endings/lone-cr-file"),
    )
    read_drops_cr_of_last_shown_line: bool = behaviour(
        False,
        {"2.1.108": True},
        meaning="If the last shown line ends with `\\r`, Read omits this `\\r`.",
        shown_by=("line-endings/read-crs-at-the-end",),
    )
    read_notes_unwritable_files: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="If Edit and Write would refuse a text file because they cannot write its text back unchanged, the "
        "answer of Read contains a note that they refuse the file.",
        shown_by=("encodings/nul-read", "encodings/latin-1-read"),
    )
    changes_refuse_unwritable_files: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Edit and Write refuse a file if they cannot write its text back unchanged.",
        shown_by=("encodings/nul-elsewhere", "encodings/latin-1-write"),
    )


class WritingBehaviours(Group):
    """How Edit and Write write a file to the disk."""

    execution_stats_path_first: bool = behaviour(
        False,
        {"2.1.196": True, "2.1.251": False},
        meaning="Right before Edit and Write write a file, they call `stat` again for the path of the file.",
        shown_by=("race/parent-replaced-by-file-during-call",),
    )
    links_refused_before_recheck: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="Right before writing, Edit and Write refuse symbolic links before they read the file again.",
        shown_by=("links-and-modes/link-to-directory-write", "crossed/during-28"),
    )
    symlink_refusal: str = behaviour(
        "",
        {
            "2.1.129": "Refusing to write through symlink: {path}. Resolve the symlink and pass the real target path "
            "explicitly.",
            "2.1.251": "Refusing to write {path}: it is a symbolic link. Write to the link's target path instead.",
            "2.1.280": "Refusing to write {path}: it is a symbolic link. Write to the link's target path instead: "
            "{target}.",
        },
        meaning="The refusal that Edit and Write use for a symbolic link. If `symlink_refusal` is empty, Edit and "
        "Write follow symbolic links.",
        shown_by=("links-and-modes/edit-through-symlink", "links-and-modes/dangling-write"),
    )
    dangling_parents_are_refused: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="Edit and Write refuse a path if one of its directories is a dangling link (a link without a "
        "target). Edit and Write also refuse the path of a new file if the path ends with a slash.",
        shown_by=("paths/parent-is-dangling-link",),
    )
    dangling_parents_surface_at_open: bool = behaviour(
        False,
        {"2.1.113": True},
        meaning="If a directory of the path is a dangling link (a link without a target), Edit and Write report an "
        "error only when they open the file, not when they create missing directories.",
        shown_by=("paths/parent-is-dangling-link",),
    )
    dangling_links_create_their_target: bool = behaviour(
        False,
        {"2.1.83": True},
        meaning="A Write to a dangling link (a link without a target) creates the target, instead of "
        "replacing the link with a file.",
        shown_by=("links-and-modes/dangling-create",),
    )
    write_opens_before_recheck: bool = behaviour(
        False,
        {"2.1.72": True},
        meaning="Right before Write writes a file, Write opens the file and then checks the modification time of the "
        "file again. If the file cannot be opened and has changed, Write therefore reports the error of opening.",
        shown_by=("race/directory-made-during-call",),
    )
    edit_makes_parents_before_match: bool = behaviour(
        False,
        {"2.1.83": True, "2.1.193": False},
        meaning="Edit creates missing directories before it checks whether the old text exists.",
        shown_by=("race/directory-deleted-during-edit",),
    )
    mkdir_refuses_file_as_parent: bool = behaviour(
        False,
        {"2.1.64": True, "2.1.67": False},
        meaning="If a directory of the path is a file, Edit and Write detect the file when they create the "
        "missing directories, instead of when they open the new file.",
        shown_by=("race/parent-replaced-by-file-during-call",),
    )
    mkdir_refusal_names_first_missing: bool = behaviour(
        False,
        {"2.1.83": True},
        meaning="If Edit or Write cannot create missing directories, the refusal names the first of these directories "
        "instead of the last.",
        shown_by=("rights/parents-in-read-only-folder",),
    )
    parent_is_opened_before_write: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="Right before Edit and Write write a file, they open the directory of the file.",
        shown_by=("race/directory-deleted-during-edit", "race/parent-replaced-by-file-during-call"),
    )
    link_targets_are_named: bool = behaviour(
        False,
        {"1.0.43": True},
        meaning="If the target of a link is not writable, Edit and Write name the target in the refusal.",
        shown_by=("links-and-modes/edit-link-to-read-only-file",),
    )
    writes_replace_the_file: bool = behaviour(
        False,
        {"1.0.45": True},
        meaning="Edit and Write replace the old file with a new file, instead of writing into the old file.",
        shown_by=("links-and-modes/edit-of-hard-link", "links-and-modes/write-link-chain"),
    )
    temporary_name_extends_file_name: bool = behaviour(
        False,
        {"2.1.181": True},
        meaning="Edit and Write first write the new content to a temporary file. The name of this temporary file is "
        "the name of the file with a suffix; if the name with the suffix is too long, Edit and Write refuse the "
        "call.",
        shown_by=("paths/name-of-255-bytes",),
    )
    special_mode_bits_are_lost: bool = behaviour(
        False,
        {"2.1.113": True, "2.1.213": False},
        meaning="If Edit or Write replaces an old file with a new file, the new file does not get the "
        "setuid, setgid and sticky bits of the old file.",
        shown_by=(
            "links-and-modes/setgid-kept-by-edit",
            "links-and-modes/setuid-kept-by-write",
            "links-and-modes/sticky-kept-by-edit",
        ),
    )
    new_files_get_mode_0600: bool = behaviour(
        False,
        {"2.0.42": True, "2.0.77": False},
        meaning="A new file gets the mode 0600.",
        shown_by=("links-and-modes/dangling-create", "links-and-modes/loop-write"),
    )
    new_directories_get_mode_0700: bool = behaviour(
        False,
        {"1.0.120": True, "2.0.77": False},
        meaning="A directory that is created for a new file gets the mode 0700.",
        shown_by=("creation/modes-of-what-is-new",),
    )
