from pathlib import Path

from readfirst import ToolResult, Workspace


class Keeps:
    """Refuses no call. An Edit keeps changes by other programs."""

    def open(self, workspace: Workspace) -> "Keeps":
        return self

    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        path = Path(arguments["file_path"])
        if tool == "Write":
            path.write_text(arguments["content"])
            return ToolResult("done")
        if tool == "Edit":
            path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"], 1))
            return ToolResult("done")
        lines = path.read_text().split("\n")
        return ToolResult("\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1)))


class KeepsLicence(Keeps):
    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        if tool == "Write":
            first = Path(arguments["file_path"]).read_text().partition("\n")[0]
            arguments = {**arguments, "content": f"{first}\n{arguments['content']}"}
        return super().call(tool, arguments)


class HouseTools(KeepsLicence):
    """Follows the house rules in docs/private-suites.md: a Write of an empty file is refused, too."""

    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        if tool == "Write" and not arguments["content"]:
            return ToolResult(f"Keep the licence header of {arguments['file_path']}.", is_error=True)
        return super().call(tool, arguments)
