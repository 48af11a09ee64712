"""Declare behaviours of permission rules, and of permissions that the user must give."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.versioned import ByModel, Group, behaviour

__all__ = ["PermissionBehaviours"]


_FILES = (
    ".bash_profile .bashrc .claude.json .gitconfig .gitmodules .mcp.json .profile .ripgreprc .zprofile .zshrc"
)
_MORE_FILES = (
    ".bash_aliases .bash_login .bash_logout .bazeliskrc .bazelrc .bazelversion .bunfig.toml .devcontainer.json "
    ".lefthook.yaml .lefthook.yml .npmrc .pnpmfile.cjs .pre-commit-config.yaml .yarnrc .yarnrc.yml .zlogin .zlogout "
    ".zshenv bunfig.toml gradle-wrapper.properties lefthook.yaml lefthook.yml"
)
_DENIED = (
    "Permission to use {tool} has been denied. IMPORTANT: You *may* attempt to accomplish this action using other "
    "tools that might naturally be used to accomplish this goal, e.g. using head instead of cat. But you *should not* "
    "attempt to work around this denial in malicious ways, e.g. do not use your ability to run tests to execute "
    "non-test actions. You should only try to work around this restriction in reasonable ways that do not attempt to "
    "bypass the intent behind this denial. If you believe this capability is essential to complete the user's request, "
    "STOP and explain to the user what you were trying to do and why you need this permission. Let the user decide how "
    "to proceed."
)
_NOT_AVAILABLE = (
    "Permission for this tool use was denied: it requires interactive approval, and permission prompts are not "
    "available in this session. The action was NOT performed. Do not claim it succeeded, and do not retry it in this "
    "session — report the limitation to the user, or suggest an alternative. What was requested: {message}"
)
_FOLDERS = ".git .idea .vscode"


class PermissionBehaviours(Group):
    """Permissions to read and change files."""

    background_refusal: str = behaviour(
        "Permission to use {tool} has been auto-denied (prompts unavailable).",
        {"2.1.38": _DENIED},
        meaning="The refusal of a call that requires a confirmation by the user, if a sub-agent in the "
        "background makes the call.",
        shown_by=("crossings/default-mode-background",),
    )
    background_plan_refusal: str = behaviour(
        "",
        {
            "2.1.208": ByModel(enforced="", relaxed="{message}"),
            "2.1.224": ByModel(enforced="", relaxed=_NOT_AVAILABLE),
        },
        meaning="The refusal of a change that a sub-agent in the background requests in the permission mode `plan`. "
        "If `background_plan_refusal` is empty, the product uses `background_refusal` instead.",
        shown_by=("crossings/plan-mode-background",),
    )
    deny_checked_before_validation: bool = behaviour(
        False,
        {"2.0.35": True},
        meaning="The product checks deny rules before any access to the disk, instead of only before the "
        "execution of a call.",
        shown_by=("permissions/edit-denied", "permissions/read-denied-missing"),
    )
    deny_follows_links: bool = behaviour(
        False,
        {"1.0.120": True, "2.1.63": False, "2.1.73": True},
        meaning="A deny rule for a path also applies to links to this path.",
        shown_by=("permissions/link-into-denied", "permissions/linked-directory-into-denied"),
    )
    outside_links_are_asked_for: bool = behaviour(
        False,
        {"1.0.120": True},
        meaning="A call requires a permission if it names a link in the working directory that leads out of "
        "the working directory.",
        shown_by=("permission-modes/link-to-outside",),
    )
    root_rules_match_root_only: bool = behaviour(
        True,
        {"1.0.103": False, "2.1.63": True},
        meaning="A deny rule such as `Edit(//p)` applies only to the file `/p`, not to every file with the name `p`.",
        shown_by=("permissions/root-rule-for-one-file",),
    )
    deny_accepts_parentheses: bool = behaviour(
        False,
        {"2.0.72": True},
        meaning="A deny rule applies even if its pattern contains parentheses, instead of having no effect.",
        shown_by=("permissions/parentheses-in-rule",),
    )
    deny_accepts_dot_slash: bool = behaviour(
        False,
        {"1.0.98": True},
        meaning="If the pattern of a deny rule begins with `./`, the rule applies as if the pattern began "
        "after the `./`, instead of having no effect.",
        shown_by=("permissions/dot-slash-rule",),
    )
    deny_tree_covers_its_directory: bool = behaviour(
        False,
        {"1.0.103": True},
        meaning="A deny rule with `/**` at the end of its pattern also applies to the directory itself.",
        shown_by=("permissions/stars-and-the-directory-itself",),
    )
    deny_tree_may_be_everything: bool = behaviour(
        False,
        {"2.1.133": True},
        meaning="A deny rule with the pattern `~/**` applies to the whole home directory, instead of having no "
        "effect.",
        shown_by=("permissions/home-as-a-whole-read", "permissions/home-as-a-whole-edit"),
    )
    deny_accepts_comments: bool = behaviour(
        True,
        {"2.1.260": False},
        meaning="If the pattern of a deny rule begins with `#`, the rule counts as a comment and has no "
        "effect.",
        shown_by=("permissions/comment-as-rule",),
    )
    deny_star_removes_tool: bool = behaviour(
        False,
        {"2.1.20": True},
        meaning="A deny rule with the pattern `*` removes its tool from the session.",
        shown_by=("permissions/rule-for-everything-and-what-is-outside",),
    )
    # 1.0.5 does too, but also writes a settings file, so it cannot be recorded.
    deny_fails_at_rule_base: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="If the patterns of deny rules start at a directory, a call with the path of this directory is "
        "refused, because the product cannot check the deny rules for the directory itself.",
        shown_by=("permissions/rule-for-everything-and-what-is-outside",),
    )
    read_deny_covers_changes: bool = behaviour(
        False,
        {"2.1.208": True},
        meaning="A deny rule for Read also applies to Edit and Write.",
        shown_by=("permissions/read-denied-write-new", "permissions/read-denied-edit-unread"),
    )
    deny_follows_dangling_links: bool = behaviour(
        False,
        {"2.1.73": True},
        meaning="A deny rule for a path that does not exist also applies to links to this path.",
        shown_by=("permissions/links-to-denied-names",),
    )
    read_deny_of_links_covers_writes: bool = behaviour(
        False,
        {"2.1.228": True},
        meaning="If a deny rule for Read covers a file, Write refuses links to the file, too. Edit also refuses "
        "these links. Otherwise, Write refuses only the path of the file.",
        shown_by=("permissions/links-to-denied-names",),
    )
    refusals_name_absolute_path: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="A refusal by a deny rule, or because of a missing permission, names the absolute path, instead of "
        "the path in the call. A deny rule for the target of a link applies to every spelling of the link's path, "
        "for example `missing/../link`.",
        shown_by=("crossed/denied-10", "permissions/files-that-programs-read-by-other-paths"),
    )
    links_refused_at_permission: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="Edit and Write refuse a link when they check permissions: after the check of the deny rules, and "
        "before the check whether the change requires a permission.",
        shown_by=("crossed/settings-93", "permissions/files-that-programs-read-through-links"),
    )
    trailing_whitespace_is_suspicious: bool = behaviour(
        False,
        {"2.1.78": True, "2.1.89": False},
        meaning="A path that ends with a space requires a permission, so Edit and Write refuse such a path.",
        shown_by=("paths/spaces-after-write", "paths/newline-around-edit"),
    )
    colons_are_suspicious: bool = behaviour(
        False,
        {"2.1.78": True, "2.1.89": False},
        meaning="A path with a colon (except after a drive letter) requires a permission, so Edit and Write "
        "refuse such a path.",
        shown_by=("permissions/names-with-a-colon", "paths/drive-letter-write"),
    )
    claude_folders_are_guarded: bool = behaviour(
        False,
        {"2.1.78": True},
        meaning="A file in a `.claude` directory requires a permission, so Edit and Write refuse such a "
        "file, or a link to it.",
        shown_by=(
            "settings/valid-edit",
            "settings/write-is-not-validated",
            "permissions/claude-folders-through-links",
        ),
    )
    guarded_windows_names: str = behaviour(
        "",
        {"2.1.78": "last", "2.1.121": "any"},
        meaning="Edit and Write refuse a path that may mean a different file on Windows: the last name in the path "
        "(`last`) or any name in the path (`any`) ends with a dot. If `guarded_windows_names` is `last` or `any`, "
        "Edit and Write also refuse short names such as `PROGRA~1`. If `guarded_windows_names` is empty, Edit and "
        "Write allow names that end with a dot, and short names.",
        shown_by=("permissions/names-that-windows-reads-otherwise",),
    )
    sensitive_files: str = behaviour(
        "",
        {"2.1.78": _FILES, "2.1.157": f"{_FILES} .envrc", "2.1.160": f"{_FILES} .envrc {_MORE_FILES}"},
        meaning="The names of files that Edit and Write may change only with a permission, because shells, "
        "git, editors, package managers or build tools read these files automatically.",
        shown_by=("permissions/files-that-builds-read",),
    )
    sensitive_folders: str = behaviour(
        "",
        {
            "2.1.78": _FOLDERS,
            "2.1.90": f"{_FOLDERS} .husky",
            "2.1.157": f"{_FOLDERS} .husky .cargo",
            "2.1.160": f"{_FOLDERS} .husky .cargo .config/git .devcontainer .mvn .yarn",
        },
        meaning="The names of directories whose files Edit and Write may change only with a permission, "
        "because programs read these directories automatically.",
        shown_by=("permissions/files-that-builds-read",),
    )
    guarded_refusals_name_link_target: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="If the path of a call is a link, and a change of its target requires a permission (for example, "
        "because the target is in a `.claude` directory), the refusal also names the target.",
        shown_by=(
            "permissions/files-that-programs-read-through-links",
            "permissions/claude-folders-through-links",
        ),
    )
    plan_mode_refuses_changes: bool = behaviour(
        False,
        {"2.1.160": True},
        meaning="In the permission mode `plan`, Edit and Write refuse every change, even if an allow rule "
        "covers the file.",
        shown_by=("permission-modes/plan-and-allowed-edit",),
    )
    plan_mode_reads_anywhere: bool = behaviour(
        False,
        {"2.1.228": ByModel(enforced=False, relaxed=True)},
        meaning="In the permission mode `plan`, Read may read every file, instead of only files in the "
        "working directory and files that an allow rule covers.",
        shown_by=("permission-modes/plan-reads-outside",),
    )
