"""Tools that meet the user's editor: one that reads and writes through it, and others that do one thing otherwise."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from careful import Careful, RefusedError

from readfirst.harness.adapter_api import ToolResult


class ThroughTheEditor(Careful):
    """Near: it reads and changes the text that the user sees."""

    capabilities = Careful.capabilities | {"buffers"}

    def text(self, path: Path) -> str:
        assert self.workspace.editor is not None
        return self.workspace.editor.read(str(path))

    def there(self, path: Path) -> bool:
        try:
            self.text(path)
        except FileNotFoundError:
            return False
        return True

    def read(self, path: Path, arguments: Mapping[str, Any]) -> str:
        self.known[path] = self.text(path).encode()
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(self.text(path).split("\n"), 1))

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        text, old = self.text(path), arguments["old_string"]
        if path not in self.known or text.count(old) != 1:
            raise RefusedError("not read, or the text is not in one place")
        self.write_file(path, text.replace(old, arguments["new_string"]).encode())
        return "done"

    def write(self, path: Path, arguments: Mapping[str, Any]) -> str:
        if self.there(path) and self.known.get(path) != self.text(path).encode():
            raise RefusedError("read it first")
        self.write_file(path, arguments["content"].encode())
        return "done"

    def write_file(self, path: Path, data: bytes) -> None:
        assert self.workspace.editor is not None
        self.workspace.editor.write(str(path), data.decode())
        self.known[path] = data


class RefusesUnsaved(ThroughTheEditor):
    """Near: wants nothing to do with a file that is not saved."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        saved = path.read_text() if path.exists() else None
        if self.there(path) and self.text(path) != saved:
            return ToolResult("it has unsaved changes", is_error=True)
        return super().call(tool, arguments)


class ReadsTheDisk(ThroughTheEditor):
    """Lost: the text that is changed is that of the disk, and it is written through the editor."""

    def text(self, path: Path) -> str:
        return path.read_text()


class WritesTheDisk(ThroughTheEditor):
    """Untrue: the text is the user's, and the disk is written, over which the user will save."""

    def write_file(self, path: Path, data: bytes) -> None:
        path.write_bytes(data)
        self.known[path] = data


class KnowsNoEditor(Careful):
    """Untrue: it reads and writes the disk, ignoring the open editor."""

    capabilities = ThroughTheEditor.capabilities


class EditsWhatItRead(ThroughTheEditor):
    """Lost: an Edit is made in the content of the Read."""

    def edit(self, path: Path, arguments: Mapping[str, Any]) -> str:
        read = self.known.get(path)
        if read is None:
            raise RefusedError("read it first")
        self.write_file(
            path, read.replace(arguments["old_string"].encode(), arguments["new_string"].encode(), 1)
        )
        return "done"


class WritesUnseen(ThroughTheEditor):
    """Lost: a Write asks nothing."""

    def write(self, path: Path, arguments: Mapping[str, Any]) -> str:
        self.write_file(path, arguments["content"].encode())
        return "done"


class SavesOverAll(ThroughTheEditor):
    """Lost: before each call every file is written as it is on the disk, so that the editor holds nothing unsaved."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        assert self.workspace.editor is not None
        for file in self.workspace.root.iterdir():
            self.workspace.editor.write(str(file), file.read_text())
        return super().call(tool, arguments)
