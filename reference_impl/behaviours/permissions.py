"""Permissions: what deny rules close, and what nobody gives a permission for."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["PermissionBehaviours"]


@dataclass(frozen=True, kw_only=True)
class PermissionBehaviours:
    """What may be read and changed at all."""

    validation_asks_rules: bool = since(
        False, {"2.0.35": True}, shown_by=("permissions/edit-denied", "permissions/read-denied-missing")
    )
    """A deny rule is asked for first, before anything is looked at, not only before the execution."""
    rules_follow_links: bool = since(
        False,
        {"1.0.120": True},
        shown_by=("permissions/link-into-denied", "permissions/linked-directory-into-denied"),
    )
    """A deny rule also closes the links to what it closes."""
    # 1.0.5 still does, but writes a settings file of its own beside it, so it gives no recording.
    rules_fail_at_their_base: bool = since(
        True, {"1.0.8": False}, shown_by=("permissions/rule-for-everything-and-what-is-outside",)
    )
    """The directory that rules begin at cannot be checked against them."""
    root_rules_are_anchored: bool = since(
        True, {"1.0.103": False, "2.1.63": True}, shown_by=("permissions/root-rule-for-one-file",)
    )
    """A rule for one name at the root of the file system means that one only, not every file of that name."""
    rules_may_hold_parentheses: bool = since(
        False, {"2.0.72": True}, shown_by=("permissions/parentheses-in-rule",)
    )
    """The pattern of a rule may hold parentheses; otherwise such a rule closes nothing."""
    rules_may_begin_with_dot_slash: bool = since(
        False, {"1.0.98": True}, shown_by=("permissions/dot-slash-rule",)
    )
    """`./` in front of a pattern does not matter; otherwise such a rule closes nothing."""
    rules_close_the_directory_itself: bool = since(
        False, {"1.0.103": True}, shown_by=("permissions/stars-and-the-directory-itself",)
    )
    """`/**` at the end of a pattern closes the directory itself, too."""
    star_takes_tools_away: bool = since(
        False, {"2.1.20": True}, shown_by=("permissions/rule-for-everything-and-what-is-outside",)
    )
    """A rule with the pattern `*` takes the tool away."""
    read_rules_close_to_changes: bool = since(
        False,
        {"2.1.208": True},
        shown_by=("permissions/read-denied-write-new", "permissions/read-denied-edit-unread"),
    )
    """A deny rule for Read closes paths to Edit and Write as well."""
    rules_may_be_comments: bool = since(True, {"2.1.260": False}, shown_by=("permissions/comment-as-rule",))
    """A deny rule whose pattern begins with `#` closes nothing."""
    own_files_are_guarded: bool = since(
        False, {"2.1.78": True}, shown_by=("settings/valid-edit", "settings/write-is-not-validated")
    )
    """Edit and Write ask for a permission of its own for a file in a `.claude` directory, and nobody gives it."""
    blanks_after_paths_are_suspicious: bool = since(
        False,
        {"2.1.78": True, "2.1.89": False},
        shown_by=("paths/blanks-behind-write", "paths/newline-around-edit"),
    )
    """Edit and Write ask for a permission of its own for a path that ends with a blank, and nobody gives it."""
