"""Model: what the files of a workspace should be, by plain replacement and without any rule about what may be done."""

from collections.abc import Mapping

from moment import Moment, followed

from readfirst.harness.suite.entry import Entry, RegularFile, Symlink
from readfirst.harness.suite.scenario import WorldEvent

File = tuple[bytes, int]
"""Bytes and mode."""


class Model:
    """Follows calls that went through, and changes by others.

    Where other things than plain replacement decide (line ends that are mixed, encodings, quotes that fit although they
    differ, deletions of matches that overlap), the bytes of the one file that the call names are taken as they are.
    """

    def __init__(self, files: Mapping[str, Entry]) -> None:
        self.files: dict[str, File] = {}
        self.links: dict[str, str] = {}
        for path, entry in files.items():
            self.put(path, entry)

    def put(self, path: str, entry: Entry) -> None:
        match entry:
            case RegularFile(mode=mode):
                self.files[path] = (entry.data, 0o644 if mode is None else mode)
            case Symlink(target):
                self.links[path] = target

    def target(self, path: str) -> str:
        return self.links.get(path, path)

    def event(self, event: WorldEvent) -> None:
        path = self.target(event.path)
        match event.kind:
            case "modify":
                assert isinstance(event.entry, RegularFile)
                mode = event.entry.mode
                known = self.files.get(path, (b"", 0o644))[1]
                self.files[path] = (event.entry.data, known if mode is None else mode)
            case "chmod":
                self.files[path] = (self.files[path][0], event.mode or 0)
            case "delete":
                self.forget(event.path)
            case "rename":
                assert event.to is not None
                file, link = self.files.get(event.path), self.links.get(event.path)
                self.forget(event.path)
                self.forget(event.to)
                if file is not None:
                    self.files[event.to] = file
                if link is not None:
                    self.links[event.to] = link
            case "symlink":
                assert event.entry is not None
                self.forget(event.path)
                self.put(event.path, event.entry)

    def forget(self, path: str) -> None:
        self.files.pop(path, None)
        self.links.pop(path, None)

    def call(self, moment: Moment) -> None:
        if moment.refused or moment.path is None or moment.tool == "Read":
            return
        path = self.target(moment.path)
        before = self.files.get(path)
        leads = moment.path in self.links and moment.behaviours.writing.dangling_links_create_their_target
        if before is None and not leads:  # a link that leads nowhere gives way to a file
            self.forget(moment.path)
            path = moment.path
        data = self._written(moment, before)
        if data is None:
            found = followed(moment.after, moment.path)
            data = b"" if found is None else found.data or b""
        self.files[path] = (data, moment.mode_of_new_files if before is None else before[1])

    def _written(self, moment: Moment, before: File | None) -> bytes | None:
        """Return what the call makes of the file; None where plain replacement does not tell."""
        target = moment.target
        plain = moment.struck is None and (before is None or (target is not None and target.is_plain))
        if not plain or moment.spells_characters or "\r" in "".join(map(str, moment.arguments.values())):
            return None
        text = "" if before is None else before[0].decode()
        match moment.tool:
            case "Write":
                return moment.content.encode() if moment.writes_plainly else None
            case "Edit" if before is None and moment.old == "":
                return str(moment.arguments["new_string"]).encode()
            case "Edit" if moment.old in text and moment.old and moment.new:
                return text.replace(moment.old, moment.new).encode()
            case "Edit" if (
                moment.old in text and moment.old and text.find(moment.old) == text.rfind(moment.old)
            ):
                line = "" if moment.old.endswith("\n") or f"{moment.old}\n" not in text else "\n"
                return text.replace(moment.old + line, "").encode()
            case _:
                return None
