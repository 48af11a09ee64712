"""Drawn files: the unusual files that a drawn scenario gives, and the paths that its calls are about."""

from __future__ import annotations

from random import Random

from readfirst.harness.crossing.themes import FOLDERS, NOTEBOOKS, SETTINGS, Theme
from readfirst.harness.suite.entry import Directory, Entry, HardLink, RegularFile, Symlink, TextContent

__all__ = ["LONG_LINE", "STRAIGHT", "DrawnFiles"]

_MODES = (None, None, 0o755, 0o444)
_WORDS = ("amber", "birch", "cedar", "denim", "fjord", "grove", "heath", "ivory", "jolly", "knoll")
_ENCODINGS = ("ascii", "ascii", "unicode", "bom", "utf-16")
LONG_LINE = "line {n}: the amber birch and the cedar stand beside the denim fjord, the grove lies behind it\n"
_LARGE_LINE = "line {n} of many \n"
_LARGE_LINES = {
    "large open": "\nline {n} of many",
    "large mixed": "line {n}\r\nof many \n",
}
"""Those of files without a line end at their end, and with line ends of two kinds."""
_LARGE = 15_000
"""Lines of a large file: more than the 256 KB that Read shows."""
_NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "id": "one", "source": "x = 1", "metadata": {}, "outputs": [], '
    '"execution_count": null}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'
)
STRAIGHT = str.maketrans("“”’", '""\'')
"""Straight quotation marks for curly ones."""


class DrawnFiles:
    """Up to three files in `files`, with links and directories; `paths` are what calls are about."""

    def __init__(self, theme: Theme, random: Random) -> None:
        self._theme = theme
        self._random = random
        self.files: dict[str, Entry] = {}
        self.paths: list[str] = []
        for _ in range(random.randint(1, 3)):
            self._give()
        if theme.missing:
            self.paths += [f"{random.choice(('', 'new/', 'made/by/it/'))}{random.choice(theme.names)}"]
            self.paths += [
                f"~/{random.choice(FOLDERS)}{random.choice(theme.names)}" for _ in range(theme.at_home)
            ]

    def _give(self) -> None:
        """Draw a file, and perhaps another way to it."""
        choose = self._random.choice
        folder = "" if self._theme.names is SETTINGS else choose(self._theme.folders)
        if self._theme.denied:
            folder = choose(("closed/", "closed/unread/", "closed/a/b/c/", "closed-not/", folder))
        path = folder + choose(self._theme.names)
        if path in self.files or (self._theme.names is SETTINGS and self.files):
            return
        link = choose(("none", "none", "symbolic", "hard"))
        entry = self._entry()
        if self._theme.missing and self._random.randint(0, 3) == 0:
            self.files[path] = Directory()
            self.paths.append(path)
            return
        if self._theme.missing and self._random.randint(0, 3) == 0:
            self.files |= {"hollow": Symlink("$WS/nowhere")}
            self.paths.append(f"hollow/{path}")
            return
        if link == "symbolic":
            target = f"{choose(('held/', 'a/b/c/held/'))}{choose(self._theme.names)}"
            if self._theme.denied:
                path, target = path.removeprefix("closed/"), f"closed/{target}"
            self.files |= {target: entry, path: Symlink(f"$WS/{target}")}
        else:
            self.files[path] = entry
        if link == "hard":
            self.files[f"twin-{len(self.files)}.txt"] = HardLink(path)
        self.paths.append(path)

    def _entry(self) -> RegularFile:
        mode = self._random.choice(_MODES)
        if self._theme.names is NOTEBOOKS and self._random.randint(0, 3):
            return RegularFile(self._encoded(_NOTEBOOK), mode)
        if self._theme.names is SETTINGS:
            long = "amber " * self._random.choice((1, 1, 200))
            lines = '{\n"model":\n"MODEL"\n}\n' if self._often() else '{"model": "MODEL"}'
            return RegularFile(self._encoded(lines.replace("MODEL", long)), mode)
        shape = self._random.choice(self._theme.shapes)
        if shape == "empty":
            return RegularFile(TextContent(""), mode)
        if line := _LARGE_LINES.get(shape):
            mark = self._random.choice((False, False, True))
            return RegularFile(TextContent(line, _LARGE, bom=mark), mode)
        if shape in ("long", "large"):
            line, times = (LONG_LINE, 12) if shape == "long" else (_LARGE_LINE, _LARGE)
            return RegularFile(self._encoded(line, times), mode)
        return RegularFile(self._encoded(self._text(shape)), mode)

    def _encoded(self, text: str, times: int | None = None) -> TextContent:
        encoding = self._random.choice(_ENCODINGS)
        eol = self._random.choice(("lf", "lf", "crlf", "mixed"))
        if eol == "mixed" and text.count("\n") > 1:
            text = text.replace("\n", "\r\n", text.count("\n") // 2)
        if encoding == "unicode" and times is None:
            text = text.replace("amber", "ambré")
        return TextContent(
            text,
            times,
            encoding="utf-16-le" if encoding == "utf-16" else "utf-8",
            bom=encoding in ("bom", "utf-16"),
            eol="crlf" if eol == "crlf" else "lf",
        )

    def _text(self, shape: str) -> str:
        lines = [" ".join(self._random.sample(_WORDS, 3)) for _ in range(self._random.randint(2, 4))]
        lines[1] += self._random.choice(("", "  "))
        if shape == "quoted":
            told, straight = f"“{lines[0]}” isn’t {lines[1]}", f'"{lines[0]}" is {lines[1]}'
            lines = [told, *lines[1:], straight] * (14 if self._random.randint(0, 4) == 0 else 1)
        if shape == "twice":
            lines = [f"“{lines[0]}” isn’t {lines[1]}", *lines] * self._random.choice((1, 1, 15))
            lines += [line.translate(STRAIGHT) for line in lines]
        text = "\n".join([*lines, lines[0]] if shape == "blanks" else lines)
        return {"open": text, "quoted": text, "blank end": f"{text}  ", "blanks": f"  {text}\n\n"}.get(
            shape, f"{text}\n"
        )

    def _often(self) -> bool:
        return self._random.randint(0, 3) > 0
