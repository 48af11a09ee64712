"""Declare behaviours of paths: their resolution, and the checks on disk before a call is executed."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.versioned import Group, behaviour

__all__ = ["LookupBehaviours", "PathBehaviours"]


class PathBehaviours(Group):
    """Resolution of paths to files."""

    relative_paths_are_accepted: bool = behaviour(
        True,
        documented=False,
        meaning="A path that does not begin with `/` starts at the root of the session, instead of being "
        "refused.",
        source="behaviour-spec.txt, Path Resolution; 2.1.7-read-before-edit.txt, Parameter Restrictions",
        shown_by=("paths/relative-write", "paths/relative-in-directory"),
    )
    nul_in_path: str = behaviour(
        "unseen",
        {"2.0.35": "seen", "2.1.89": "fatal", "2.1.281": "named"},
        meaning="The treatment of a path that contains a NUL character: `unseen` (the path counts as "
        "missing), `seen` (the call fails), `fatal` (the product exits), or `named` (a refusal names the "
        "NUL character).",
        shown_by=("paths/nul-in-path", "paths/nul-in-path-edit"),
    )
    write_refuses_nul: bool = behaviour(
        False,
        {"1.0.98": True},
        meaning="Write, and an Edit that creates a file, refuse a path with a NUL character before they write, even "
        "if the other tools treat such a path as a missing file in the same version.",
        shown_by=("paths/nul-in-path-write", "crossed/impossible-16"),
    )
    long_path_refusal: str = behaviour(
        "system",
        {"2.1.113": "unnamed", "2.1.248": "cut", "2.1.321": "counted"},
        meaning="The refusal of a path that is too long for the system: `system` (the error of the system call), "
        "`unnamed` (the error of opening the file, without the path), `cut` (the error of opening the file, with the "
        "beginning of the path), or `counted` (the number of characters in the path; the product counts them before "
        "it accesses the path).",
        shown_by=("paths/longer-than-the-system-takes-absolute",),
    )
    paths_become_nfc: bool = behaviour(
        False,
        {"2.1.38": True, "2.1.160": False},
        meaning="The product replaces `e` and an accent in a path by `é`, so a file with a separate accent is "
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
        meaning="Read resolves `.`, `..` and `//` in an absolute path before it accesses the disk, as Edit "
        "and Write do.",
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
        meaning="The treatment of a path that leads to a file if its backslashes are replaced by slashes: `followed` "
        "(Read shows this file) or `refused` (Read refuses the path). If `read_backslashes` is empty, Read treats a "
        "backslash as an ordinary character.",
        shown_by=("paths/backslash",),
    )


class LookupBehaviours(Group):
    """Order of the checks on disk, and the refusals of missing files, directories and special files."""

    validation_failures_quote_the_system: bool = behaviour(
        False,
        {"1.0.53": True},
        meaning="If a system call fails during the validation of a call, the refusal quotes the error of "
        "the system.",
        shown_by=("creation/edit-at-directory",),
    )
    stat_call_in_refusals: str = behaviour(
        "stat",
        {"2.1.113": "statx", "2.1.208": "stat"},
        meaning="The system call that is named in the refusal of an inaccessible path.",
        shown_by=("paths/name-of-256-bytes", "links-and-modes/loop-write"),
    )
    read_checks_existence_at_execution: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read detects a missing file when it reads the file, instead of during validation.",
        shown_by=("race/read-created-during-call", "race/read-deleted-during-call"),
    )
    read_stats_before_open: bool = behaviour(
        False,
        {"2.1.40": True, "2.1.251": False},
        meaning="Read determines the size of a file before it reads the file.",
        shown_by=("race/read-deleted-during-call", "paths/parent-is-file-read", "links-and-modes/loop-read"),
    )
    edit_stats_before_open: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="Edit checks that its path is accessible before it opens the file.",
        shown_by=("paths/parent-is-file-edit", "paths/trailing-slash-edit"),
    )
    edit_opens_before_gate: bool = behaviour(
        False,
        {"2.1.63": True},
        meaning="Edit reads the file before it checks whether the session may edit the file. If the path is "
        "a directory, Edit therefore reports an error of reading.",
        shown_by=("paths/directory-edit", "paths/directory-named-like-notebook"),
    )
    write_stats_before_gate: bool = behaviour(
        False,
        {"2.1.63": True},
        meaning="Write refuses a path that the system cannot resolve, such as a link to itself, instead of treating "
        "the path as a missing file.",
        shown_by=("links-and-modes/loop-write",),
    )
    sockets_are_special_files: bool = behaviour(
        False,
        {"2.1.328": True},
        meaning="If Edit or Write refuses a socket, the refusal says that the socket is not a regular file, instead "
        "of that the session has not read the file.",
        shown_by=("media/socket",),
    )
    missing_file_remark: str = behaviour(
        "",
        {
            "1.0.10": " Current working directory: {root}",
            "2.1.48": " Note: your current working directory is {root}.",
        },
        meaning="The remark about the working directory in the refusal of a call for a missing file.",
        shown_by=("working-directory/missing-in-the-new-directory",),
    )
    missing_file_remark_needs_cd: bool = behaviour(
        False,
        {"1.0.21": True, "2.1.48": False},
        meaning="The refusal of a missing file contains the remark on the working directory only after a `cd`.",
        shown_by=("paths/missing-read", "working-directory/missing-in-the-new-directory"),
    )
    suggestions_are_sanitized: bool = behaviour(
        False,
        {"2.1.290": True},
        meaning="If the refusal of a missing file suggests a different file, the refusal escapes control "
        "characters in the suggested name, as in `&#9;`, and never suggests a name that ends in whitespace.",
        shown_by=("paths/missing-suggests-odd-names", "paths/missing-suggests-marked-names"),
    )
    read_refusal_names_directory: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="If Read refuses a directory, the refusal names the directory.",
        shown_by=("paths/directory-read", "paths/empty-path-read"),
    )
    directory_refusal_puts_name_for_real_path: bool = behaviour(
        False,
        {"2.1.251": True},
        meaning="If Read refuses a directory, and the path in the call contains the resolved path (the path without "
        "links), the refusal replaces this part by the whole path in the call. For example, the refusal of `/a/b/` "
        "names `/a/b//`, and the refusal of `/a/link`, a link to `/a`, names `/a/link/link`.",
        shown_by=("paths/directory-read-trailing-slash", "links-and-modes/links-with-a-final-slash"),
    )
    write_refusal_names_directory: bool = behaviour(
        False,
        {"2.1.277": True},
        meaning="If Write refuses to replace a directory, the refusal names the directory.",
        shown_by=("paths/directory-write", "paths/tilde-alone-write"),
    )
    read_refuses_link_loops: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="Read refuses links that form a loop.",
        shown_by=("links-and-modes/loop-read",),
    )
