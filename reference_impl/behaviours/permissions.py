"""Behaviours of permission rules and of permissions that must be asked for."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import ByModel, behaviour

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
    """Files that may be read and changed."""

    background_refusal: str = behaviour(
        "Permission to use {tool} has been auto-denied (prompts unavailable).",
        {"2.1.38": _DENIED},
        meaning="The value is the refusal of what a sub-agent in the background would have to ask for.",
        shown_by=("crossings/default-mode-background",),
    )
    background_plan_refusal: str = behaviour(
        "",
        {
            "2.1.208": ByModel(enforced="", relaxed="{message}"),
            "2.1.224": ByModel(enforced="", relaxed=_NOT_AVAILABLE),
        },
        meaning="The value is the refusal of a change by a sub-agent in the background in plan mode, if it is not "
        "that of other calls.",
        shown_by=("crossings/plan-mode-background",),
    )
    deny_checked_before_validation: bool = behaviour(
        False,
        {"2.0.35": True},
        meaning="Deny rules are checked before the disk is looked at, not only before the execution.",
        shown_by=("permissions/edit-denied", "permissions/read-denied-missing"),
    )
    deny_follows_links: bool = behaviour(
        False,
        {"1.0.120": True, "2.1.63": False, "2.1.73": True},
        meaning="A deny rule also closes the links to what it closes.",
        shown_by=("permissions/link-into-denied", "permissions/linked-directory-into-denied"),
    )
    outside_links_are_asked_for: bool = behaviour(
        False,
        {"1.0.120": True},
        meaning="A link in the working directory that leads out of it needs a permission.",
        shown_by=("permission-modes/link-to-outside",),
    )
    root_rules_match_root_only: bool = behaviour(
        True,
        {"1.0.103": False, "2.1.63": True},
        meaning="A deny rule for one name at the root of the file system closes only that file, not every file of that "
        "name.",
        shown_by=("permissions/root-rule-for-one-file",),
    )
    deny_accepts_parentheses: bool = behaviour(
        False,
        {"2.0.72": True},
        meaning="The pattern of a deny rule may hold parentheses; otherwise such a rule closes nothing.",
        shown_by=("permissions/parentheses-in-rule",),
    )
    deny_accepts_dot_slash: bool = behaviour(
        False,
        {"1.0.98": True},
        meaning="`./` at the beginning of the pattern of a deny rule does not matter; otherwise such a rule closes "
        "nothing.",
        shown_by=("permissions/dot-slash-rule",),
    )
    deny_tree_covers_its_directory: bool = behaviour(
        False,
        {"1.0.103": True},
        meaning="`/**` at the end of the pattern of a deny rule also closes the directory itself.",
        shown_by=("permissions/stars-and-the-directory-itself",),
    )
    deny_tree_may_be_everything: bool = behaviour(
        False,
        {"2.1.133": True},
        meaning="`~/**` as the pattern of a deny rule closes the whole home directory; otherwise it closes nothing.",
        shown_by=("permissions/home-as-a-whole-read", "permissions/home-as-a-whole-edit"),
    )
    deny_accepts_comments: bool = behaviour(
        True,
        {"2.1.260": False},
        meaning="A deny rule whose pattern begins with `#` closes nothing.",
        shown_by=("permissions/comment-as-rule",),
    )
    deny_star_removes_tool: bool = behaviour(
        False,
        {"2.1.20": True},
        meaning="A deny rule with the pattern `*` takes the tool away.",
        shown_by=("permissions/rule-for-everything-and-what-is-outside",),
    )
    # 1.0.5 does too, but also writes a settings file, so it cannot be recorded.
    deny_fails_at_rule_base: bool = behaviour(
        True,
        {"1.0.8": False},
        meaning="The directory at which deny rules begin cannot be checked against them, so that a call for it is "
        "refused.",
        shown_by=("permissions/rule-for-everything-and-what-is-outside",),
    )
    read_deny_covers_changes: bool = behaviour(
        False,
        {"2.1.208": True},
        meaning="A deny rule for Read also closes paths to Edit and Write.",
        shown_by=("permissions/read-denied-write-new", "permissions/read-denied-edit-unread"),
    )
    deny_follows_dangling_links: bool = behaviour(
        False,
        {"2.1.73": True},
        meaning="A deny rule closes a link to a path that it names even if nothing is there.",
        shown_by=("permissions/links-to-denied-names",),
    )
    read_deny_of_links_covers_writes: bool = behaviour(
        False,
        {"2.1.228": True},
        meaning="Where a deny rule for Read closes paths to changes, it also closes links to them to Write.",
        shown_by=("permissions/links-to-denied-names",),
    )
    refusals_name_absolute_path: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="Refusals by a rule, or for lack of a permission, name the absolute path instead of the one in the "
        "call, and a link is followed however its path is spelled.",
        shown_by=("crossed/denied-10", "permissions/files-that-programs-read-by-other-paths"),
    )
    links_refused_at_permission: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="Edit and Write refuse a link when permissions are checked: after deny rules, and before the question "
        "whether the file may be changed.",
        shown_by=("crossed/settings-93", "permissions/files-that-programs-read-through-links"),
    )
    trailing_whitespace_is_suspicious: bool = behaviour(
        False,
        {"2.1.78": True, "2.1.89": False},
        meaning="Edit and Write need a permission, which nobody gives, for a path that ends with a space.",
        shown_by=("paths/spaces-after-write", "paths/newline-around-edit"),
    )
    colons_are_suspicious: bool = behaviour(
        False,
        {"2.1.78": True, "2.1.89": False},
        meaning="Edit and Write need a permission, which nobody gives, for a path with a colon other than that of a "
        "drive.",
        shown_by=("permissions/names-with-a-colon", "paths/drive-letter-write"),
    )
    claude_folders_are_guarded: bool = behaviour(
        False,
        {"2.1.78": True},
        meaning="Edit and Write need a permission, which nobody gives, for a file in a `.claude` directory, or a link "
        "to one.",
        shown_by=(
            "settings/valid-edit",
            "settings/write-is-not-validated",
            "permissions/claude-folders-through-links",
        ),
    )
    guarded_windows_names: str = behaviour(
        "",
        {"2.1.78": "last", "2.1.121": "any"},
        meaning="The value says which names in a path count as names of another file on Windows if they end with a "
        "dot, the `last` or `any`; short names such as `PROGRA~1` do with either value. Edit and Write need a "
        "permission, which nobody gives, for such a path.",
        shown_by=("permissions/names-that-windows-reads-otherwise",),
    )
    sensitive_files: str = behaviour(
        "",
        {
            "2.1.78": _FILES,
            "2.1.157": f"{_FILES} .envrc",
            "2.1.160": f"{_FILES} .envrc {_MORE_FILES}",
        },
        meaning="The value has names of files that shells, git, editors, package managers and builds read by "
        "themselves; Edit and Write need a permission, which nobody gives, for such a file.",
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
        meaning="The value contains names of directories that programs read by themselves. Edit and Write of a path "
        "with such a name need a permission and are refused.",
        shown_by=("permissions/files-that-builds-read",),
    )
    guarded_refusals_name_link_target: bool = behaviour(
        False,
        {"2.1.280": True},
        meaning="The refusal to change a file that needs a permission, such as one in a `.claude` directory, also "
        "names the file that a link leads to.",
        shown_by=(
            "permissions/files-that-programs-read-through-links",
            "permissions/claude-folders-through-links",
        ),
    )
    plan_mode_refuses_changes: bool = behaviour(
        False,
        {"2.1.160": True},
        meaning="In the mode `plan` Edit and Write are refused whatever is allowed; otherwise in the mode "
        "`plan` a rule that allows Edit and Write holds.",
        shown_by=("permission-modes/plan-and-allowed-edit",),
    )
    plan_mode_reads_anywhere: bool = behaviour(
        False,
        {"2.1.228": ByModel(enforced=False, relaxed=True)},
        meaning="In the mode `plan` every file may be read; otherwise in the mode `plan` a file outside the working "
        "directory may be read only if a rule allows it.",
        shown_by=("permission-modes/plan-reads-outside",),
    )
