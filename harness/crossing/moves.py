"""Moves: the calls and changes of a drawn scenario, each drawn in view of what probably lies there by then."""

from __future__ import annotations

import posixpath
from fractions import Fraction
from random import Random
from typing import Any

from readfirst.harness.crossing.drawn_files import LONG_LINE, STRAIGHT
from readfirst.harness.crossing.spelling import spelt
from readfirst.harness.crossing.themes import Theme
from readfirst.harness.fuzz.sketch import Sketch
from readfirst.harness.suite.entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Step, ToolCall, WorldEvent
from readfirst.harness.suite.shift import Seconds

__all__ = ["Moves"]

_LARGE = 15_000
"""Bytes from which on only ranges of a file are read."""
_TAIL = 10
"""Lines of a long content."""
_SHIFTS: tuple[Seconds, ...] = (2, 2, 1, Fraction(1, 1000))
_OUT_OF_REACH = ("~", "hollow/")
"""Paths at which nobody else makes a change."""


class Moves:
    """Draws steps about a path. `sketch` is to follow what it draws."""

    def __init__(self, theme: Theme, random: Random, sketch: Sketch) -> None:
        self._theme = theme
        self._random = random
        self._sketch = sketch
        self._number = 0

    def often(self) -> bool:
        """Draw what is so three times out of four."""
        return self._random.randint(0, 3) > 0

    def called(self, call: ToolCall, path: str) -> ToolCall:
        """Return a call, and let the sketch follow it."""
        self._sketch.call(call, path)
        return call

    def _fresh(self) -> str:
        self._number += 1
        return f"new{self._number}"

    def _named(self, path: str) -> str:
        if path.startswith("~"):
            return path
        return spelt(path, self._random.choice(self._theme.spellings))

    def read(self, path: str) -> ToolCall:
        """Draw a Read of all lines or of some."""
        arguments: dict[str, Any] = {"file_path": self._named(path)}
        large = len(self._sketch.files.get(self._sketch.links.get(path, path), b"")) > _LARGE
        lines = self._sketch.text(path).count("\n") + 1
        match self._random.randint(2 if large else 0, 6):
            case 2:
                arguments["limit"] = 2
            case 3:
                arguments |= {"offset": 2, "limit": 1}
            case 4:
                arguments |= {"offset": lines + 3, "limit": 2}
            case 5:
                arguments |= {"offset": 1, "limit": 3}
            case 6:
                arguments |= {"offset": max(1, lines - 2)}
            case _:
                pass
        return ToolCall("Read", arguments)

    def whole(self, path: str) -> ToolCall:
        """Draw a Read of all lines, be there as many as there may."""
        return ToolCall("Read", {"file_path": self._named(path)})

    def spaced(self, path: str) -> ToolCall | None:
        """Draw an Edit of blanks alone, after which some end a line."""
        lines = [line.strip() for line in self._shown(path).split("\n")[:40]]
        line = next((line for line in lines if " " in line), "")
        words = line.split()
        new = " ".join(words) + "\t" if "  " in line else "  ".join(words) + "  "
        return self._edit(path, line, new) if line else None

    def _edit(
        self, path: str, old: str, new: str, flags: tuple[bool | None, ...] = (None, None, False)
    ) -> ToolCall:
        arguments: dict[str, Any] = {"file_path": self._named(path), "old_string": old, "new_string": new}
        flag = self._random.choice(flags)
        return ToolCall("Edit", arguments if flag is None else {**arguments, "replace_all": flag})

    def edit(self, path: str) -> ToolCall | None:
        """Draw an Edit of something that is there."""
        text = self._sketch.text(path)
        lines = [line for line in self._shown(path).split("\n")[:400] if len(line.split()) > 1]
        if not lines:
            return None
        line, fresh = self._random.choice(lines), self._fresh()
        words = line.split()
        kinds = ["word", "insertion", "blanks", "line", "ended", "piece", "lines", "tail", "whole", "gone"]
        match self._random.choice(kinds):
            case "word":
                return self._edit(path, words[1], fresh)
            case "insertion":
                return self._edit(path, line, f"{line} {fresh}")
            case "blanks":
                return self._edit(path, line, f"    {line}" if self.often() else line.replace(" ", "  "))
            case "line":
                return self._edit(path, line, "", (None, False, True))
            case "ended":
                return self._edit(path, line, f"{fresh} ends in blanks  \n{fresh}\t")
            case "piece":
                return self._edit(path, f"{words[0]} ", "", (None, False, True))
            case "lines":
                piece = "\n".join(text.split("\n")[:4])
                return self._edit(path, piece, f"{fresh}\n{piece}" if self.often() else fresh)
            case "tail" if len(text) > 1000:
                piece = "\n".join(text.split("\n")[1 : 70 if len(text) > 5000 else 12])
                return self._edit(path, piece, self._random.choice((fresh, "", f"{piece} {fresh}")))
            case "whole" if len(text) < 2000:
                return self._edit(path, text, self._random.choice((fresh, "", f"{fresh}\n")))
            case "gone":
                return self._edit(path, f"{line}\n", "")
            case _:
                return None

    def quotes(self, path: str) -> ToolCall | None:
        """Draw an Edit of something that is there with other quotes, or with these and others."""
        lines = self._shown(path).split("\n")
        start = next((n for n, line in enumerate(lines) if "“" in line), None)
        if start is None:
            return None
        text = "\n".join(lines[start : start + self._random.choice((1, 1, 2, 4, 20))])
        old = text.translate(STRAIGHT)
        if self._random.randint(0, 3) == 0:
            old = old.partition(" is ")[0]
        fresh = self._fresh()
        new = self._random.choice(
            (text, f'"{fresh}" isn\'t', "", f"{old} {fresh}", old.replace(" ", "  "), f" {text}")
        )
        return self._edit(path, old, new, (None, False, False, True))

    def invalid(self, path: str) -> ToolCall:
        """Draw an Edit after which settings are none."""
        text = self._shown(path)
        end = text.rfind('"')
        old, new = self._random.choice(
            (
                (text[: end + 1], '{"model": 7'),
                (text[end:], ""),
                (text[end:], f",{text[end:]}"),
                (" ", "\n"),
                (text, self._fresh()),
                (text, ""),
                (text, f"{text}]"),
            )
        )
        flags = (True,) if old == " " else (None, None, False, True)
        return self._edit(path, old or "nothing", new, flags)

    def straight(self, path: str) -> ToolCall | None:
        """Draw an Edit of something that is there as it is given, and before that with other quotes."""
        lines = self._shown(path).split("\n")
        start = next((n for n, line in enumerate(lines) if line.startswith('"')), None)
        if start is None:
            return None
        old = "\n".join(lines[start : start + self._random.choice((1, 1, 2, 4, 40))])
        if self._random.randint(0, 2) == 0:
            old = old[: old.find('"', 1) + 1]
        fresh = self._fresh()
        new = self._random.choice((fresh, "", f"{old} {fresh}", old.replace(" ", "  "), f"  {old}"))
        return self._edit(path, old, new, (None, False, False, True))

    def ended(self, path: str) -> ToolCall | None:
        """Draw an Edit that puts blanks at the ends of lines."""
        text = self._shown(path)
        lines = [line for line in text.split("\n")[:400] if len(line.split()) > 1]
        if not lines:
            return self._edit(path, "", f"{self._fresh()}  \n")
        line, fresh = self._random.choice(lines), self._fresh()
        pieces = (
            line,
            line.split()[0],
            text,
            "\n".join(text.split("\n")[:4]),
            "\n".join(text.split("\n")[:70]),
        )
        old = self._random.choice([each for each in pieces if 0 < len(each) < 3000])
        new = self._random.choice((f"{fresh}  \nand\t", f"{old}  \n{fresh}\t", f"  {old}  ", f"{old}\t"))
        return self._edit(path, old, new, (None, False, True))

    def written(self, path: str) -> ToolCall:
        """Draw a Write of lines that end in blanks."""
        text, fresh = self._sketch.text(path), self._fresh()
        long = LONG_LINE.replace("{n}", fresh).replace("\n", "  \n") * _TAIL
        content = self._random.choice((f"{fresh}  \nand\t", text if len(text) < 2000 else "", long))
        return ToolCall("Write", {"file_path": self._named(path), "content": content})

    def returned(self, path: str) -> list[Step] | None:
        """Draw carriage returns that are put into a file, a new time for it, and another Edit."""
        call = (self.written if self._random.randint(0, 2) == 0 else self.edit)(path)
        if call is None or path.startswith(_OUT_OF_REACH):
            return None
        fresh = self._fresh()
        if call.tool == "Write":
            content = self._random.choice(
                (call.arguments["content"].replace("\n", "\r\n"), f"{fresh}\r\nand\r\n")
            )
            call = ToolCall("Write", {**call.arguments, "content": content})
        else:
            old = call.arguments["old_string"]
            new = self._random.choice(
                (f"{fresh}\r\nand", f"{old}\r\n{fresh}", f" \r\n{old}", old.replace("\n", "\r\n"))
            )
            call = ToolCall("Edit", {**call.arguments, "new_string": new})
        self.called(call, path)
        steps: list[Step] = [call]
        if path in self._sketch.files or path in self._sketch.links:
            event = self._event("touch", self._sketch.links.get(path, path), mtime=2)
            self._sketch.event(event)
            steps.append(event)
        again = self.edit(path)
        return [*steps, self.called(again, path)] if again is not None else steps

    def told_again(self, path: str) -> list[Step] | None:
        """Draw text with carriage returns, a new time for it, and an Edit of it."""
        write = self._random.choice((True, False))
        call = self.write(path) if write else self.edit(path)
        if call is None or path.startswith("~") or path not in self._sketch.files:
            return None
        name = "content" if call.tool == "Write" else "new_string"
        fresh = self._fresh()
        call = ToolCall(call.tool, {**call.arguments, name: f"{fresh}\r\nand\r\n"})
        self.called(call, path)
        event = self._event("touch", path, mtime=2)
        self._sketch.event(event)
        return [call, event, self.called(self._edit(path, fresh, f"{fresh} again"), path)]

    def several(self, path: str) -> ToolCall | None:
        """Draw an Edit of something that is there more than once, all of it not being meant."""
        doubled = self._doubled(path)
        new = self._random.choice((self._fresh(), "", f"{doubled} too"))
        return self._edit(path, doubled, new) if doubled else None

    def everywhere(self, path: str) -> ToolCall | None:
        """Draw an Edit with replace_all."""
        doubled = self._doubled(path)
        if len(self._sketch.text(path)) > 5000:
            doubled = "1499"
        new = self._random.choice((self._fresh(), "", f"{doubled} too"))
        return self._edit(path, doubled, new, (True,)) if doubled else None

    def _shown(self, path: str) -> str:
        return self._sketch.text(path).removeprefix("\ufeff")

    def _doubled(self, path: str) -> str:
        text = self._shown(path)[:2000]
        pieces = [*text.split("\n"), *text.split()]
        return next((each for each in pieces if each and text.count(each) > 1), "")

    def missing(self, path: str) -> ToolCall:
        """Draw an Edit of something that is not there."""
        text = self._sketch.text(path)
        old = self._random.choice(("nothing like this", "not\nin\nthis\nfile", f"{text[:1500]} and more"))
        new = self._random.choice(("", old.upper(), f"{old}!", old.replace(" ", "  "), self._fresh()))
        return self._edit(path, old, "" if new == old else new, (None, False, True))

    def equal(self, path: str) -> ToolCall:
        """Draw an Edit that asks for nothing."""
        text = self._sketch.text(path)[:1500]
        old = self._random.choice((text, "\n".join(text.split("\n")[:4]), (text.split() or ["x"])[0]))
        return self._edit(path, old, old)

    def create(self, path: str) -> ToolCall:
        """Draw an Edit that makes a file, be it there or not."""
        return self._edit(path, "", f"{self._fresh()} made\n")

    def write(self, path: str) -> ToolCall | None:
        """Draw a Write."""
        text, fresh = self._sketch.text(path), self._fresh()
        same = text if len(text) < 2000 else ""
        long = LONG_LINE.replace("{n}", fresh) * _TAIL + fresh
        return ToolCall(
            "Write",
            {
                "file_path": self._named(path),
                "content": self._random.choice(
                    ("", same, same, f"{fresh}\n", f"{fresh}  \nand\t", f"{fresh}\r\nand\r\n", long)
                ),
            },
        )

    def own(self, path: str) -> ToolCall | WorldEvent | None:
        """Draw a new time for what the session itself wrote."""
        if self._sketch.known.get(path) != "own" or path.startswith(_OUT_OF_REACH):
            return self.write(path)
        return self._event("touch", path, mtime=self._random.choice(_SHIFTS))

    def world(self, path: str) -> WorldEvent | None:
        """Draw what somebody else does with a file."""
        choose = self._random.choice
        if path.startswith(_OUT_OF_REACH):
            return None
        if path not in self._sketch.files:
            path = self._sketch.links.get(path, path)
        if path not in self._sketch.files:
            return None
        match self._random.randint(0, 5):
            case 0:
                return self._event("touch", path, mtime=choose(_SHIFTS))
            case 1:
                return self._event("touch", path, mtime=-10)
            case 2:
                return self._event("chmod", path, mode=choose((0o644, 0o755, 0o444)))
            case 3:
                return self._event("modify", path, TextContent(""), mtime=choose(_SHIFTS))
            case _:
                text = self._sketch.text(path)[:2000]
                entry = TextContent(
                    text.replace("e", "E", 1) if choose((True, False)) else f"{text}{self._fresh()}\n"
                )
                return self._event("modify", path, entry, mtime=choose(_SHIFTS))

    def _event(
        self,
        kind: Any,
        path: str,
        content: TextContent | None = None,
        *,
        mtime: Seconds | None = None,
        mode: int | None = None,
    ) -> WorldEvent:
        entry = None if content is None else RegularFile(content)
        return WorldEvent(kind, path, entry, mtime=mtime, mode=mode)

    def new(self, path: str) -> ToolCall:
        """Draw a call about a file that is probably not there yet."""
        return self._random.choice((self.create, self.write, self.read))(path)  # type: ignore[return-value]

    def absent(self, path: str) -> ToolCall:
        """Draw a call about a file that is not there."""
        folder = posixpath.dirname(path)
        gone = f"{folder}/" * bool(folder) + "gone.txt"
        return self.missing(gone) if self.often() else self.read(gone)

    def remove(self, path: str) -> WorldEvent | None:
        """Draw a file's end."""
        there = path in self._sketch.files or path in self._sketch.links
        return WorldEvent("delete", path) if there and not path.startswith(_OUT_OF_REACH) else None

    def folder(self, path: str) -> ToolCall | None:
        """Draw a call about a directory."""
        folder = posixpath.dirname(path)
        return self._random.choice((self.create, self.write, self.read))(folder) if folder else None

    def race(self, path: str) -> ToolCall | None:
        """Draw a call during which somebody changes the file."""
        call = self.edit(path) or self.write(path)
        event = self.world(path)
        if event is None or call is None:
            return None
        return ToolCall(call.tool, call.arguments, (event,))

    def null(self, path: str) -> ToolCall | None:
        """Draw a call whose path has a NUL character in it."""
        call = self._random.choice((self.edit, self.write, self.read, self.missing, self.create))(path)
        if call is None:
            return None
        return ToolCall(
            call.tool, {**call.arguments, "file_path": f"{call.arguments['file_path'][:-3]}\0{path[-3:]}"}
        )

    def beside(self, path: str) -> ToolCall | None:
        """Draw a call about a name below a file."""
        call = self._random.choice((self.edit, self.write, self.read, self.missing, self.create))(path)
        if call is None:
            return None
        return ToolCall(
            call.tool, {**call.arguments, "file_path": f"{call.arguments['file_path']}/below.txt"}
        )
