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
        meaning="A path that does not begin with `/` is resolved from the root; otherwise the call is refused.",
        source="behaviour-spec.txt, Path Resolution; 2.1.7-read-before-edit.txt, Parameter Restrictions",
        shown_by=("paths/relative-write", "paths/relative-in-directory"),
    )
    nul_in_path: str = behaviour(
        "unseen",
        {"2.0.35": "seen", "2.1.89": "fatal", "2.1.281": "named"},
        meaning="The value says how a path with a NUL character is treated: `unseen`, it counts as "
        "missing; `seen`, the call fails; `fatal`, the product ends; `named`, a refusal names the"
        " NUL character.",
        shown_by=("paths/nul-in-path", "paths/nul-in-path-edit"),
    )
    write_refuses_nul: bool = behaviour(
        False,
        {"1.0.98": True},
        meaning="Write refuses a path with a NUL character before it writes, and so does an Edit that creates a file, "
        "even where the other tools do not see the character.",
        shown_by=("paths/nul-in-path-write", "crossed/impossible-16"),
    )
    long_path_refusal: str = behaviour(
        "system",
        {"2.1.113": "unnamed", "2.1.248": "cut", "2.1.321": "counted"},
        meaning="The value says how a path that is too long for the system is refused: in the `system`'s words; as one "
        "that cannot be opened, either `unnamed` or `cut` after 4,096 characters of the answer; or by its length, "
        "which is `counted` before the path is looked at.",
        shown_by=("paths/longer-than-the-system-takes-absolute",),
    )
    paths_become_nfc: bool = behaviour(
        False,
        {"2.1.38": True, "2.1.160": False},
        meaning="Decomposed letters in a path are composed, so that a file whose name has them cannot be reached.",
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
        meaning="Edit expands `~` and strips whitespace around the path before it looks at the file, not "
        "only before it writes the file.",
        shown_by=("paths/tilde-write-then-edit", "paths/spaces-around-edit"),
    )
    read_folds_dots: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="Read resolves `.`, `..` and `//` in an absolute path before it looks at the disk, as Edit and Write "
        "do.",
        shown_by=("paths/dot-dot-through-missing", "links-and-modes/dot-dot-after-linked-directory"),
    )
    read_drops_final_slash: bool = behaviour(
        False,
        {"2.1.304": True},
        meaning="Read ignores a slash after the file's name.",
        shown_by=("paths/trailing-slash-read", "paths/read-with-a-final-slash-then-edit"),
    )
    write_drops_final_slash: bool = behaviour(
        True,
        {"1.0.98": False, "2.1.280": True},
        meaning="Write of a new file ignores a slash after the file's name.",
        shown_by=("paths/trailing-slash-write",),
    )
    read_backslashes: str = behaviour(
        "",
        {"2.1.251": "followed", "2.1.280": "refused", "2.1.304": ""},
        meaning="The value says what Read does with a path that would lead to a file if its backslashes separated "
        "names: the path is `followed` or `refused`; with an empty value a backslash is a letter.",
        shown_by=("paths/backslash",),
    )
