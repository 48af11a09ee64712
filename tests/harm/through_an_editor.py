"""A tool that uses the user's editor, and wrong variants. A docstring begins with the kind of harm (`Near`: none)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from careful import Careful, EditsAnOldCopy, RefusedError, WritesUnread


class ThroughTheEditor(Careful):
    """Near: reads and changes the text in the editor, not the text on the disk."""

    capabilities = Careful.capabilities | {"buffers"}

    def text(self, path: Path) -> str:
        """Return the text in the editor, or on the disk if the editor has not opened the file."""
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
    """Near: refuses every call for a file with unsaved changes."""

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        saved = path.read_text() if path.exists() else None
        if self.there(path) and self.text(path) != saved:
            raise RefusedError("it has unsaved changes")


class ReadsTheDisk(ThroughTheEditor):
    """Lost: makes an Edit in the text on the disk, and overwrites the user's unsaved text in the editor with it."""

    def text(self, path: Path) -> str:
        return path.read_text()


class WritesTheDisk(ThroughTheEditor):
    """Untrue: writes an Edit of the unsaved text to the disk, where the user's next save overwrites it."""

    def write_file(self, path: Path, data: bytes) -> None:
        path.write_bytes(data)
        self.known[path] = data


class KnowsNoEditor(Careful):
    """Untrue: reads and writes the disk, although the file is open in the editor."""

    capabilities = ThroughTheEditor.capabilities


class EditsWhatItRead(ThroughTheEditor):
    """Lost: makes an Edit in the content of the last Read. Text that the user typed since is lost."""

    edit = EditsAnOldCopy.edit


class WritesUnseen(ThroughTheEditor):
    """Lost: a Write replaces the text in the editor without checking whether the session has read it."""

    write = WritesUnread.write


class SavesOverAll(ThroughTheEditor):
    """Lost: before each call, replaces the text of every open file with its content on the disk."""

    def check_call(self, tool: str, path: Path, arguments: Mapping[str, Any]) -> None:
        assert self.workspace.editor is not None
        for file in self.workspace.root.iterdir():
            self.workspace.editor.write(str(file), file.read_text())
