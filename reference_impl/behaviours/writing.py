"""Behaviours of writing changes to the disk."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["WritingBehaviours"]


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
        meaning="Right before writing, Write reads the file before it compares times.",
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
