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
        meaning="If straight quotes in `old_string` of Edit matched curly quotes in the file, straight quotes in "
        "`new_string` become curly, too.",
        shown_by=("quotes/straight-quotes-inserted-where-curly-matched",),
    )
    unicode_escapes_match_characters: bool = behaviour(
        False,
        {"2.1.118": True},
        meaning="In `old_string` of Edit, an escape `\\uXXXX` also matches its character, and a character its escape; "
        "if the file contains neither form, the refusal says that both were tried.",
        shown_by=("literal-text/character-for-escape", "literal-text/composed-and-decomposed"),
    )
    missing_texts_keep_half_characters: bool = behaviour(
        True,
        {"2.1.191": False},
        meaning="If `old_string` is not in the file, the refusal of Edit quotes half of a surrogate pair unchanged "
        "instead of as U+FFFD.",
        shown_by=("crossings/half-a-pair-sought",),
    )
    execution_rechecks_matches: bool = behaviour(
        False,
        {"2.1.321": True},
        meaning="Right before writing, Edit checks again that the text occurs only once, and that a file to be "
        "created has no content.",
        shown_by=("race/target-doubled-during-call", "race/edit-new-created-during-call"),
    )
    counted_matches_are_all_replaced: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="After counting the occurrences of a text, Edit and MultiEdit replace every occurrence. In its "
        "answer, Edit shows the lines as if every occurrence of an empty text were replaced.",
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
        meaning="The edition of the schema of settings files: its keys, its values, and the messages for wrong "
        "values.",
        shown_by=("settings/wrong-choices",),
    )
    classifier_setting_is_known: bool = behaviour(
        True,
        {"2.1.14": False},
        meaning="The schema of settings files contains the settings for permissions that a classifier decides.",
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
        meaning="The validation of a settings file reports all unknown hook events together, allows a boolean "
        "`attribution`, and allows any parentheses in permission rules.",
        shown_by=(
            "settings/wrong-hooks",
            "settings/permission-rule-wrong",
            "settings/wrong-types-of-nothing",
        ),
    )
    settings_file_name_ignores_case: bool = behaviour(
        False,
        {"2.0.19": True},
        meaning="The name of a settings file is recognised in any letter case.",
        shown_by=("settings/upper-case-name",),
    )
    settings_refusal_shows_changed_keys_only: bool = behaviour(
        False,
        {"2.1.326": True},
        meaning="The refusal of invalid settings shows the schema of the changed keys only, not of all keys.",
        shown_by=("settings/null-settings", "settings/unread"),
    )
    settings_check_expands_dollar_patterns: bool = behaviour(
        True,
        {"2.1.330": False},
        meaning="While Edit validates a settings file, `$&` and similar patterns in `new_string` are replaced by parts "
        "of the file, although the written file contains the patterns unchanged.",
        shown_by=("settings/replacement-patterns-in-validation", "settings/dollar-key-in-validation"),
    )


class EncodingBehaviours(Group):
    """Encodings, byte order marks and line ends."""

    utf_16_line_endings_are_detected: bool = behaviour(
        False,
        {"2.1.72": True},
        documented=True,
        meaning="The line endings of a UTF-16 file are detected in its decoded text, instead of in its raw bytes, in "
        "which UTF-16 never contains `\\r\\n`.",
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
        meaning="Edit and Write encode the content of a previously empty file as Latin-1: the lower byte of each "
        "UTF-16 code unit.",
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
        meaning="Write over a file with a byte order mark keeps the mark instead of removing it.",
        shown_by=("write/over-byte-order-mark",),
    )
    write_keeps_line_endings: bool = behaviour(
        True,
        {"2.1.77": False},
        documented=False,
        meaning="Write converts the line endings of its content to those of the old file or, for a new file, to those "
        "of the files near it.",
        source="behaviour-spec.txt, Session State Model",
        shown_by=("line-endings/write-lf-over-crlf", "line-endings/write-new-beside-four-crlf-files"),
    )
    crlf_in_new_text_becomes_crcrlf: bool = behaviour(
        True,
        {"2.1.89": False},
        meaning="In a file with `\\r\\n` line ends, each `\\r\\n` of the new text gets a second `\\r`.",
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
        "answer of Read says so.",
        shown_by=("encodings/nul-read", "encodings/latin-1-read"),
    )
    changes_refuse_unwritable_files: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Edit and Write refuse a file whose text they cannot write back unchanged.",
        shown_by=("encodings/nul-elsewhere", "encodings/latin-1-write"),
    )


class WritingBehaviours(Group):
    """How Edit and Write store an allowed change on disk."""

    execution_stats_path_first: bool = behaviour(
        False,
        {"2.1.196": True, "2.1.251": False},
        meaning="Edit and Write call `stat` for the path again right before they write.",
        shown_by=("race/parent-replaced-by-file-during-call",),
    )
    links_refused_before_recheck: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="Edit and Write refuse links before they read the file again.",
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
        meaning="The refusal of a symbolic link by Edit and Write; if empty, Edit and Write follow the link.",
        shown_by=("links-and-modes/edit-through-symlink", "links-and-modes/dangling-write"),
    )
    dangling_parents_are_refused: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="Edit and Write refuse a path below a dangling link, and a new file with a slash at the end of its "
        "path.",
        shown_by=("paths/parent-is-dangling-link",),
    )
    dangling_parents_surface_at_open: bool = behaviour(
        False,
        {"2.1.113": True},
        meaning="A dangling link in place of a directory of the path is detected only when the file is opened.",
        shown_by=("paths/parent-is-dangling-link",),
    )
    dangling_links_create_their_target: bool = behaviour(
        False,
        {"2.1.83": True},
        meaning="A Write to a dangling link creates the target of the link, instead of replacing the link with a "
        "file.",
        shown_by=("links-and-modes/dangling-create",),
    )
    write_opens_before_recheck: bool = behaviour(
        False,
        {"2.1.72": True},
        meaning="Right before writing, Write checks the modification time again. It opens the file before this check, "
        "so an error of opening is reported first.",
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
        meaning="A file in place of a directory of the path is detected when the missing directories are created, not "
        "when the new file is opened.",
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
        meaning="Right before writing, Edit and Write open the directory of the file.",
        shown_by=("race/directory-deleted-during-edit", "race/parent-replaced-by-file-during-call"),
    )
    link_targets_are_named: bool = behaviour(
        False,
        {"1.0.43": True},
        meaning="If the target of a link is not writable, the refusal of Edit and Write names the target.",
        shown_by=("links-and-modes/edit-link-to-read-only-file",),
    )
    writes_replace_the_file: bool = behaviour(
        False,
        {"1.0.45": True},
        meaning="Edit and Write replace the old file with a new file instead of writing the old file in place.",
        shown_by=("links-and-modes/edit-of-hard-link", "links-and-modes/write-link-chain"),
    )
    temporary_name_extends_file_name: bool = behaviour(
        False,
        {"2.1.181": True},
        meaning="A file is first written under its name with a suffix, so that a name without room for the suffix is "
        "refused.",
        shown_by=("paths/name-of-255-bytes",),
    )
    special_mode_bits_are_lost: bool = behaviour(
        False,
        {"2.1.113": True, "2.1.213": False},
        meaning="A new file that replaces an old file does not get the setuid, setgid and sticky bits of the old "
        "file.",
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
