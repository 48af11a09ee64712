"""Behaviours of path resolution."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["PathBehaviours"]


class PathBehaviours(Group):
    """Resolution of paths to files."""

    relative_paths_are_accepted: bool = behaviour(
        True,
        documented=False,
        meaning="A path that does not begin with `/` is resolved from the root of the session instead of being "
        "refused.",
        source="behaviour-spec.txt, Path Resolution; 2.1.7-read-before-edit.txt, Parameter Restrictions",
        shown_by=("paths/relative-write", "paths/relative-in-directory"),
    )
    nul_in_path: str = behaviour(
        "unseen",
        {"2.0.35": "seen", "2.1.89": "fatal", "2.1.281": "named"},
        meaning="The treatment of a path with a NUL character: `unseen` (the path counts as missing), `seen` (the "
        "call fails), `fatal` (the product exits), or `named` (a refusal names the NUL character).",
        shown_by=("paths/nul-in-path", "paths/nul-in-path-edit"),
    )
    write_refuses_nul: bool = behaviour(
        False,
        {"1.0.98": True},
        meaning="Write, and an Edit that creates a file, refuse a path with a NUL character before they write, even "
        "in versions whose other tools ignore the character.",
        shown_by=("paths/nul-in-path-write", "crossed/impossible-16"),
    )
    long_path_refusal: str = behaviour(
        "system",
        {"2.1.113": "unnamed", "2.1.248": "cut", "2.1.321": "counted"},
        meaning="The refusal of a path that is too long for the system: `system` (the message of the system), "
        "`unnamed` (the path cannot be opened, without the path), `cut` (the path cannot be opened, with 4,096 "
        "characters of the path), or `counted` (the length of the path, checked before any access to the path).",
        shown_by=("paths/longer-than-the-system-takes-absolute",),
    )
    paths_become_nfc: bool = behaviour(
        False,
        {"2.1.38": True, "2.1.160": False},
        meaning="Decomposed letters in a path are composed, so that a file with decomposed letters in its name is "
        "inaccessible.",
        shown_by=("state/spelling-unicode-forms",),
    )
    read_expands_tilde: bool = behaviour(
        False,
        {"2.1.10": True},
        meaning="Read expands `~` to the home directory and strips whitespace around the path.",
        shown_by=("paths/tilde-read-existing", "paths/space-at-end"),
    )
    changes_expand_tilde: bool = behaviour(
        False,
        {"1.0.98": True},
        meaning="Edit and Write expand `~` to the home directory and strip whitespace around the path when they write.",
        shown_by=("paths/tilde-write", "paths/spaces-after-write"),
    )
    edit_validation_expands_tilde: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="Edit expands `~` and strips whitespace around the path before it reads the file, not only before it "
        "writes the file.",
        shown_by=("paths/tilde-write-then-edit", "paths/spaces-around-edit"),
    )
    read_folds_dots: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="Read resolves `.`, `..` and `//` in an absolute path before it accesses the disk, like Edit and "
        "Write.",
        shown_by=("paths/dot-dot-through-missing", "links-and-modes/dot-dot-after-linked-directory"),
    )
    read_drops_final_slash: bool = behaviour(
        False,
        {"2.1.304": True},
        meaning="Read ignores a slash at the end of the path.",
        shown_by=("paths/trailing-slash-read", "paths/read-with-a-final-slash-then-edit"),
    )
    write_drops_final_slash: bool = behaviour(
        True,
        {"1.0.98": False, "2.1.280": True},
        meaning="Write of a new file ignores a slash at the end of the path.",
        shown_by=("paths/trailing-slash-write",),
    )
    read_backslashes: str = behaviour(
        "",
        {"2.1.251": "followed", "2.1.280": "refused", "2.1.304": ""},
        meaning="The treatment of a path that leads to a file if its backslashes are read as slashes: `followed` "
        "(Read shows this file) or `refused` (Read refuses the path); if empty, a backslash is an ordinary character.",
        shown_by=("paths/backslash",),
    )
