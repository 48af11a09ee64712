"""Servers whose sessions affect each other. `python leaky_servers.py WAY` starts a server with one fault:

- `by-name`, `by-inode`, `by-content`, `by-time`, `anything-read`: a Read also counts as a Read of other files with the
  same property.
- `refuses-once`: only the first edit of an unread file is refused.
- `forgets`: unread and changed files are not refused.
- `ends`, `restarted-ends`: the server ends at the 30th call, or at a second handshake.
- `reminds` and names with this end: every 20th answer contains a reminder.
- `restarted` and names with this start: a second handshake makes the server forget which files were read.
- `restarted-but-for-texts`: but a Read may show old text of a file with the same time and size.
- `confined`, `tells-where`: the server refuses files outside its start directory, or answers with paths relative to it.
- `logs-here`, `logs-at-home`: each call writes a log file.
- `random-id`, `tells-the-time`, `digests-all`, `counts-calls`: answers contain varying data.

`honest` has no fault.
"""

import hashlib
import itertools
import os
import sys
import time
import uuid
from collections.abc import Callable
from datetime import datetime
from pathlib import Path


class Server:
    """A server with Read, Edit and Write. `way` is its fault; `here` is the directory of its start."""

    def __init__(self, way: str, here: Path, home: Path) -> None:
        self.way, self.here, self.home = way, here, home
        self.seen: dict[object, bytes] = {}
        self.texts: dict[object, str] = {}
        self.refused = False
        self.calls = self.answers = 0
        self.digest = hashlib.sha256()

    def restart_session(self) -> None:
        """Accept a second handshake. With some faults, the server then forgets earlier Reads, or ends."""
        if self.way == "restarted-ends":
            sys.exit(3)
        if self.way.startswith("restarted"):
            self.seen.clear()

    def call(self, tool: str, arguments: dict[str, str]) -> tuple[str, bool]:
        self.calls += 1
        if self.way == "ends" and self.calls == 30:
            sys.exit(3)
        if self.way in ("logs-here", "logs-at-home"):
            folder = self.here if self.way == "logs-here" else self.home
            (folder / "server.log").write_text("called\n")
        try:
            text, is_error = self.perform(tool, arguments), False
        except (ValueError, OSError) as error:
            text, is_error = str(error), True
        match self.way:
            case "random-id":
                text += f"\nid {uuid.uuid4()}, digest {uuid.uuid4().hex[:12]}"
            case "tells-the-time":
                text += f"\n{datetime.now().astimezone().isoformat()}, took {time.perf_counter_ns()} ms"
            case "digests-all" if not is_error:
                self.digest.update(text.encode())
                text += f"\ndigest {self.digest.hexdigest()}"
            case "counts-calls" if not is_error:
                self.answers += 1
                text = f"version {self.answers}\n{text}"
        if self.way.endswith("reminds") and self.calls % 20 == 0:
            text += "\nremember the list"
        return text, is_error

    def perform(self, tool: str, arguments: dict[str, str]) -> str:
        path = Path(os.path.normpath(arguments["file_path"]))
        if self.way == "confined" and not path.is_relative_to(self.here):
            raise ValueError("outside of the directory")
        if tool == "Read":
            text = path.read_text()
            if (
                self.way == "restarted-but-for-texts"
            ):  # treats a file with the same time and size as unchanged
                state = path.stat()
                text = self.texts.setdefault((path, state.st_mtime_ns, state.st_size), text)
        else:
            self.check(path)
            former = path.read_text() if path.exists() else ""
            old, new = arguments.get("old_string", ""), arguments.get("new_string", "")
            text = arguments.get("content", former.replace(old, new, 1))
            path.write_text(text)
        self.seen[self.key(path)] = path.read_bytes()
        return f"{path.relative_to(self.here)}: {text}" if self.way == "tells-where" else text

    def check(self, path: Path) -> None:
        if self.way == "forgets" or not path.exists():
            return
        if self.key(path) not in self.seen:
            if not (self.way == "refuses-once" and self.refused):
                self.refused = True
                raise ValueError("read it first")
        elif self.key(path) == path and path.read_bytes() != self.seen[path]:
            raise ValueError("it has changed")

    def key(self, path: Path) -> object:
        """Return the key of a file that was read. With some faults, several files have the same key."""
        keys: dict[str, Callable[[], object]] = {
            "by-name": lambda: path.name,
            "by-inode": lambda: path.stat().st_ino,
            "by-content": path.read_bytes,
            "by-time": lambda: path.stat().st_mtime_ns,
            "anything-read": lambda: "anything",
        }
        return keys.get(self.way, lambda: path)()


def main() -> None:
    sys.path.append(str(Path(__file__).parents[2]))
    from tests import mcp_lines

    server = Server(sys.argv[1], Path.cwd(), Path(os.environ["HOME"]))
    earlier = itertools.count()

    def begin() -> dict[str, object]:
        if next(earlier):
            server.restart_session()
        return {}

    mcp_lines.serve(lambda name, given, _: mcp_lines.text(*server.call(name, given)), begin=begin)


if __name__ == "__main__":
    main()
