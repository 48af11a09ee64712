"""Paths: what one stands for, what is looked at there, and where links lead."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["PathBehaviours"]


@dataclass(frozen=True, kw_only=True)
class PathBehaviours:
    """What a path leads to."""

    relative_paths_are_resolved: bool = since(
        True, documented=False, shown_by=("paths/relative-write", "paths/relative-in-directory")
    )
    """A path that does not begin with `/` is taken from the root; otherwise the call is refused."""
    read_expands_home: bool = since(
        False, {"2.1.10": True}, shown_by=("paths/tilde-read-existing", "paths/space-at-end")
    )
    """Read takes `~` for the home directory and cuts blanks around the path, as Edit and Write do everywhere."""
    home_is_expanded: bool = since(
        False, {"1.0.98": True}, shown_by=("paths/tilde-write", "paths/blanks-behind-write")
    )
    """Edit and Write take `~` for the home directory and cut blanks around the path when they write."""
    edit_looks_where_it_writes: bool = since(
        False, {"2.1.7": True}, shown_by=("paths/tilde-write-then-edit", "paths/blanks-around-edit")
    )
    """Edit expands `~` and cuts blanks around the path before it looks at the file, not only before it writes it."""
    paths_fold: bool = since(
        False,
        {"2.1.7": True},
        shown_by=("paths/dot-dot-through-missing", "links-and-modes/dot-dot-behind-linked-directory"),
    )
    """`.`, `..` and `//` in an absolute path fold before Read looks at anything, as they do for Edit and Write."""
    paths_are_composed: bool = since(
        False, {"2.1.38": True, "2.1.160": False}, shown_by=("state/spelling-unicode-forms",)
    )
    """Letters of a path that can be composed are, so that a name with decomposed letters cannot be reached."""
    read_drops_final_slash: bool = since(
        False,
        {"2.1.304": True},
        shown_by=("paths/trailing-slash-read", "paths/read-with-a-final-slash-then-edit"),
    )
    """Read takes no notice of a slash after the file's name."""
    final_slash_is_doubled: bool = since(
        False, {"2.1.251": True}, shown_by=("paths/directory-read-trailing-slash",)
    )
    """The refusal to read a directory doubles the slash after its name."""
    final_slash_is_remembered: bool = since(
        False, {"2.1.280": True}, shown_by=("paths/known-with-a-final-slash",)
    )
    """A file that was read or written under a path with a final slash is not known without it."""
    backslashes_separate: str = since(
        "", {"2.1.251": "followed", "2.1.280": "refused", "2.1.304": ""}, shown_by=("paths/backslash",)
    )
    """What Read does where a backslash would lead to a file if it stood between names; nothing: it is a letter."""
    write_drops_final_slash: bool = since(
        True, {"1.0.98": False, "2.1.280": True}, shown_by=("paths/trailing-slash-write",)
    )
    """Write of a new file takes no notice of a slash after the file's name."""
    null_in_path: str = since(
        "unseen",
        {"2.0.35": "seen", "2.1.89": "fatal", "2.1.281": "named"},
        shown_by=("paths/nul-in-path", "paths/nul-in-path-edit"),
    )
    """How a path with a NUL character is refused, see `refuse_null`."""
    write_sees_null: bool = since(False, {"1.0.98": True}, shown_by=("paths/nul-in-path-write",))
    """Write refuses a path with a NUL character before it writes, even where the other tools do not see it."""
    write_looks_first: bool = since(False, {"2.1.63": True}, shown_by=("links-and-modes/loop-write",))
    """Write looks at a path when it is validated: one of which the system does not tell whether there is something (a
    link to itself, a file as a directory) is refused in the system's words; otherwise it counts as missing."""
    stat_call: str = since(
        "stat",
        {"2.1.113": "statx", "2.1.208": "stat"},
        shown_by=("paths/name-of-256-bytes", "links-and-modes/loop-write"),
    )
    """What the system calls it to look at a path."""
    edit_looks_first: bool = since(
        False, {"2.1.89": True}, shown_by=("paths/parent-is-file-edit", "paths/trailing-slash-edit")
    )
    """Edit looks at a path before it opens it."""
    edit_opens_first: bool = since(
        False, {"2.1.63": True}, shown_by=("paths/directory-edit", "paths/directory-named-like-notebook")
    )
    """Edit reads the file before it asks whether it may be edited; a directory fails there."""
    failures_are_explained: bool = since(False, {"1.0.53": True}, shown_by=("creation/edit-at-directory",))
    """A failure of the system while a call is validated is told in the system's words."""
    working_directory_remark: str = since(
        "",
        {
            "1.0.10": " Current working directory: {root}",
            "1.0.21": "",
            "2.1.48": " Note: your current working directory is {root}.",
        },
        shown_by=("paths/missing-read", "paths/missing-edit"),
    )
    """What the refusal of a missing file says of the working directory."""
    read_names_directories: bool = since(
        False, {"2.1.41": True}, shown_by=("paths/directory-read", "paths/empty-path-read")
    )
    """Read names the directory that it is given as a file."""
    write_names_directories: bool = since(
        False, {"2.1.277": True}, shown_by=("paths/directory-write", "paths/tilde-alone-write")
    )
    """Write names the directory that it is given as a file."""
    link_refusal: str = since(
        "",
        {
            "2.1.129": "Refusing to write through symlink: {path}. Resolve the symlink and pass the real target path "
            "explicitly.",
            "2.1.251": "Refusing to write {path}: it is a symbolic link. Write to the link's target path instead.",
            "2.1.280": "Refusing to write {path}: it is a symbolic link. Write to the link's target path instead: "
            "{target}.",
        },
        shown_by=("links-and-modes/edit-through-symlink", "links-and-modes/dangling-write"),
    )
    """How Edit and Write refuse a symbolic link; nothing if they follow it."""
    links_are_refused_first: bool = since(
        False, {"2.1.251": True}, shown_by=("links-and-modes/link-to-directory-write",)
    )
    """Write refuses links before it reads what is there."""
    dangling_parents_are_refused: bool = since(
        False, {"2.1.251": True}, shown_by=("paths/parent-is-dangling-link",)
    )
    """Edit and Write refuse what is below a link to nothing, and a new file with a slash behind its name."""
    link_loops_are_refused: bool = since(False, {"2.1.280": True}, shown_by=("links-and-modes/loop-read",))
    """Read refuses links that go round in a circle."""
    dangling_links_are_followed: bool = since(
        False, {"2.1.83": True}, shown_by=("links-and-modes/dangling-create",)
    )
    """Replacing a link to nothing creates what it leads to; otherwise a file takes the place of the link."""
    dangling_parents_are_overlooked: bool = since(
        False, {"2.1.113": True}, shown_by=("paths/parent-is-dangling-link",)
    )
    """A link to nothing in place of a directory is not noticed before the file is opened."""
