"""Implementations that decide wrongly which calls need a confirmation by the user."""

from collections.abc import Callable
from dataclasses import replace

from altered import Altered, detected_by

from readfirst.harness.adapter_api import PermissionMode, Permissions, Workspace
from readfirst.reference_impl import FileTools


def with_permissions(changed: Callable[[Permissions], Permissions]) -> Callable[[Altered], FileTools]:
    def fresh(self: Altered) -> FileTools:
        given = self.workspace.permissions
        if given is not None:
            self.workspace = replace(self.workspace, permissions=changed(given))
        return Altered.fresh(self)

    return fresh


def treat_mode(mode: PermissionMode, like: PermissionMode) -> Callable[[Altered], FileTools]:
    return with_permissions(lambda given: replace(given, mode=like) if given.mode == mode else given)


@detected_by("permission-modes/default-edit", "refused")
class NeverAsks(Altered):
    """Changes files in the default mode without a confirmation."""

    fresh = treat_mode("default", "bypassPermissions")


@detected_by("permission-modes/write-outside", "refused")
class EditsEverywhere(Altered):
    """Treats the permission to edit files in the working directory as a permission to edit files anywhere."""

    fresh = treat_mode("acceptEdits", "bypassPermissions")


@detected_by("permission-modes/plan-edit", "refused")
class PlansByDoing(Altered):
    """Changes files in plan mode, which permits only reading."""

    fresh = treat_mode("plan", "acceptEdits")


@detected_by("permission-modes/bypass", "refused")
class AsksAlways(Altered):
    """Requires a confirmation in the mode that bypasses permissions, although no user is present."""

    fresh = treat_mode("bypassPermissions", "default")


@detected_by("permission-modes/bypass-and-denied", "refused")
class BypassesDenyRules(Altered):
    """Treats the mode that bypasses permissions as a permission for denied files."""

    def __init__(self, workspace: Workspace) -> None:
        given = workspace.permissions
        bypasses = given is not None and given.mode == "bypassPermissions"
        super().__init__(replace(workspace, deny=()) if bypasses else workspace)


@detected_by("permission-modes/read-outside", "refused")
class IsAtHomeEverywhere(Altered):
    """Treats the directory above its working directory as a working directory, too."""

    fresh = with_permissions(
        lambda given: replace(given, additional=(*given.additional, given.directory.parent))
    )


@detected_by("permission-modes/additional-directory", "refused")
class KnowsNoAdditionalDirectories(Altered):
    """Ignores the additional working directories, so that it requires a confirmation there."""

    fresh = with_permissions(lambda given: replace(given, additional=()))


@detected_by("permission-modes/allowed-folder", "refused")
class OverlooksAllowRules(Altered):
    """Requires a confirmation although an allow rule matches the call."""

    fresh = with_permissions(lambda given: replace(given, allow=()))
