"""Implementations that are wrong about what they do without asking."""

from dataclasses import replace

from altered import Altered

from readfirst.harness.session import PermissionMode, Workspace
from readfirst.reference_impl import FileTools


def in_another_mode(workspace: Workspace, taken: PermissionMode, for_: PermissionMode) -> Workspace:
    """Return a workspace in which one mode was taken for another."""
    given = workspace.permissions
    if given is None or given.mode != taken:
        return workspace
    return replace(workspace, permissions=replace(given, mode=for_))


class NeverAsks(Altered):
    """Changes files in the default mode, too."""

    def fresh(self) -> FileTools:
        self.workspace = in_another_mode(self.workspace, "default", "bypassPermissions")
        return super().fresh()


class EditsEverywhere(Altered):
    """Takes leave to edit for leave to edit anything."""

    def fresh(self) -> FileTools:
        self.workspace = in_another_mode(self.workspace, "acceptEdits", "bypassPermissions")
        return super().fresh()


class PlansByDoing(Altered):
    """Edits while it is to plan."""

    def fresh(self) -> FileTools:
        self.workspace = in_another_mode(self.workspace, "plan", "acceptEdits")
        return super().fresh()


class AsksAlways(Altered):
    """Asks even where nobody is to be asked."""

    def fresh(self) -> FileTools:
        self.workspace = in_another_mode(self.workspace, "bypassPermissions", "default")
        return super().fresh()


class BypassesDenyRules(Altered):
    """Takes leave to do everything for leave to do what a rule denies."""

    def fresh(self) -> FileTools:
        given = self.workspace.permissions
        if given is not None and given.mode == "bypassPermissions":
            self.workspace = replace(self.workspace, deny=())
        return super().fresh()


class IsAtHomeEverywhere(Altered):
    """Takes the folder above its working directory for its own."""

    def fresh(self) -> FileTools:
        given = self.workspace.permissions
        if given is not None:
            above = replace(given, additional=(*given.additional, given.directory.parent))
            self.workspace = replace(self.workspace, permissions=above)
        return super().fresh()


class KnowsNoAdditionalDirectories(Altered):
    """Is at home in its working directory alone."""

    def fresh(self) -> FileTools:
        given = self.workspace.permissions
        if given is not None:
            self.workspace = replace(self.workspace, permissions=replace(given, additional=()))
        return super().fresh()


class OverlooksAllowRules(Altered):
    """Asks although a rule allows it."""

    def fresh(self) -> FileTools:
        given = self.workspace.permissions
        if given is not None:
            self.workspace = replace(self.workspace, permissions=replace(given, allow=()))
        return super().fresh()
