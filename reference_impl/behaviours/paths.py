"""Paths: what one stands for, what is looked at there, and where links lead."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import behaviour

__all__ = ["PathBehaviours"]


@dataclass(frozen=True, kw_only=True)
class PathBehaviours:
    """What a path leads to."""

    relative_paths_are_resolved: bool = behaviour(
        True,
        documented=False,
        meaning="A path that does not begin with `/` is taken from the root; otherwise the call is refused.",
        source="behaviour-spec.txt, Path Resolution; 2.1.7-read-before-edit.txt, Parameter Restrictions",
        shown_by=("paths/relative-write", "paths/relative-in-directory"),
    )
    read_expands_home: bool = behaviour(
        False,
        {"2.1.10": True},
        meaning="Read takes `~` for the home directory and cuts blanks around the path.",
        shown_by=("paths/tilde-read-existing", "paths/space-at-end"),
    )
    home_is_expanded: bool = behaviour(
        False,
        {"1.0.98": True},
        meaning="Edit and Write take `~` for the home directory and cut blanks around the path when they "
        "write.",
        shown_by=("paths/tilde-write", "paths/blanks-behind-write"),
    )
    edit_looks_where_it_writes: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="Edit expands `~` and cuts blanks around the path before it looks at the file, not only "
        "before it writes the file.",
        shown_by=("paths/tilde-write-then-edit", "paths/blanks-around-edit"),
    )
    paths_fold: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="`.`, `..` and `//` in an absolute path fold before Read looks at anything, as they do "
        "for Edit and Write.",
        shown_by=("paths/dot-dot-through-missing", "links-and-modes/dot-dot-behind-linked-directory"),
    )
    paths_are_composed: bool = behaviour(
        False,
        {"2.1.38": True, "2.1.160": False},
        meaning="Decomposed letters of a path are composed, so that a name with decomposed letters cannot"
        " be reached.",
        shown_by=("state/spelling-unicode-forms",),
    )
    read_drops_final_slash: bool = behaviour(
        False,
        {"2.1.304": True},
        meaning="Read takes no notice of a slash after the file's name.",
        shown_by=("paths/trailing-slash-read", "paths/read-with-a-final-slash-then-edit"),
    )
    final_slash_is_doubled: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="The refusal to read a directory doubles the slash after its name.",
        shown_by=("paths/directory-read-trailing-slash",),
    )
    final_slash_is_remembered: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="A file that was read or written under a path with a final slash is not known without "
        "that slash.",
        shown_by=("paths/known-with-a-final-slash",),
    )
    backslashes_separate: str = behaviour(
        "",
        {"2.1.251": "followed", "2.1.280": "refused", "2.1.304": ""},
        meaning="The value says what Read does where a path would lead to a file if its backslashes "
        "separated names: the path is `followed` or `refused`; with an empty value a backslash is"
        " a letter.",
        shown_by=("paths/backslash",),
    )
    write_drops_final_slash: bool = behaviour(
        True,
        {"1.0.98": False, "2.1.280": True},
        meaning="Write of a new file takes no notice of a slash after the file's name.",
        shown_by=("paths/trailing-slash-write",),
    )
    null_in_path: str = behaviour(
        "unseen",
        {"2.0.35": "seen", "2.1.89": "fatal", "2.1.281": "named"},
        meaning="The value says how a path with a NUL character is treated: `unseen`, it counts as "
        "missing; `seen`, the call fails; `fatal`, the product ends; `named`, a refusal names the"
        " NUL character.",
        shown_by=("paths/nul-in-path", "paths/nul-in-path-edit"),
    )
    write_sees_null: bool = behaviour(
        False,
        {"1.0.98": True},
        meaning="Write refuses a path with a NUL character before it writes, even where the other tools "
        "do not see the character.",
        shown_by=("paths/nul-in-path-write",),
    )
    write_looks_first: bool = behaviour(
        False,
        {"2.1.63": True},
        meaning="Write refuses a path of which the system does not tell whether there is something, such "
        "as a link to itself; otherwise such a path counts as missing.",
        shown_by=("links-and-modes/loop-write",),
    )
    stat_call: str = behaviour(
        "stat",
        {"2.1.113": "statx", "2.1.208": "stat"},
        meaning="The value is the name of the system call in the refusal of a path that the system does "
        "not let be looked at.",
        shown_by=("paths/name-of-256-bytes", "links-and-modes/loop-write"),
    )
    edit_looks_first: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="Edit looks at a path before it opens the file.",
        shown_by=("paths/parent-is-file-edit", "paths/trailing-slash-edit"),
    )
    edit_opens_first: bool = behaviour(
        False,
        {"2.1.63": True},
        meaning="Edit reads the file before it asks whether the file may be edited, so that of a "
        "directory the reading fails.",
        shown_by=("paths/directory-edit", "paths/directory-named-like-notebook"),
    )
    failures_are_explained: bool = behaviour(
        False,
        {"1.0.53": True},
        meaning="A failure of the system while a call is validated is told in the system's words.",
        shown_by=("creation/edit-at-directory",),
    )
    working_directory_remark: str = behaviour(
        "",
        {
            "1.0.10": " Current working directory: {root}",
            "1.0.21": "",
            "2.1.48": " Note: your current working directory is {root}.",
        },
        meaning="The value is the remark on the working directory in the refusal of a missing file.",
        shown_by=("paths/missing-read", "paths/missing-edit"),
    )
    read_names_directories: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="The refusal of Read to read a directory names the directory.",
        shown_by=("paths/directory-read", "paths/empty-path-read"),
    )
    write_names_directories: bool = behaviour(
        False,
        {"2.1.277": True},
        meaning="The refusal of Write to write over a directory names the directory.",
        shown_by=("paths/directory-write", "paths/tilde-alone-write"),
    )
    link_refusal: str = behaviour(
        "",
        {
            "2.1.129": "Refusing to write through symlink: {path}. Resolve the symlink and pass the real target path "
            "explicitly.",
            "2.1.251": "Refusing to write {path}: it is a symbolic link. Write to the link's target path instead.",
            "2.1.280": "Refusing to write {path}: it is a symbolic link. Write to the link's target path instead: "
            "{target}.",
        },
        meaning="The value is how Edit and Write refuse a symbolic link; with an empty value they follow "
        "the link.",
        shown_by=("links-and-modes/edit-through-symlink", "links-and-modes/dangling-write"),
    )
    links_are_refused_first: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="Edit and Write refuse links before they read what is there once more.",
        shown_by=("links-and-modes/link-to-directory-write", "crossed/during-28"),
    )
    dangling_parents_are_refused: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="Edit and Write refuse a path below a link to nothing, and a new file with a slash behind"
        " its name.",
        shown_by=("paths/parent-is-dangling-link",),
    )
    link_loops_are_refused: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="Read refuses links that go round in a circle.",
        shown_by=("links-and-modes/loop-read",),
    )
    dangling_links_are_followed: bool = behaviour(
        False,
        {"2.1.83": True},
        meaning="Replacing a link to nothing creates the file that the link leads to; otherwise a file "
        "takes the place of the link.",
        shown_by=("links-and-modes/dangling-create",),
    )
    dangling_parents_are_overlooked: bool = behaviour(
        False,
        {"2.1.113": True},
        meaning="A link to nothing in place of a directory is not noticed before the file is opened.",
        shown_by=("paths/parent-is-dangling-link",),
    )
