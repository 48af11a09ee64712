"""An implementation of another design: it edits a changed file as it now is."""

from pathlib import Path

from readfirst import ToolResult, Workspace


class Keeps:
    def open(self, workspace: Workspace) -> "Keeps":
        return self

    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        path = Path(arguments["file_path"])
        if tool == "Edit":
            path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"], 1))
            return ToolResult("done")
        lines = path.read_text().split("\n")
        return ToolResult("\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1)))
