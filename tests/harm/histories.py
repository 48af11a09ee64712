"""Creates random git repositories whose commits change one file each; converts commits to calls of a session."""

from __future__ import annotations

import difflib
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Commit", "calls_of_commit", "commits_of", "make_repository"]

_NAMES = [
    *("count", "total", "value", "path", "item", "result", "grün", "naïve", "index", "name", "limit", "rest"),
]
_START = {
    "src/app.py": "import os\n\n\ndef main(path):\n    total = 0\n    for item in path:\n        total += item\n\n",
    "src/app_test.py": "def test_one():\n    assert True\n\n\ndef test_two():\n    assert True\n",
    "Makefile": "all: build\n\nbuild:\n\tmkdir -p out\n\tcp src/app.py out\n\nclean:\n\trm -r out\n",
    "docs/guide.md": "# Guide\n\nFirst words.  \nSecond line — mit Umlaut ä.\n\n- one\n- two\n- one\n",
    "config.ini": "[main]\r\nname = x\r\nlimit = 10\r\n\r\n[rest]\r\nname = y\r\nlimit = 10\r\n",
    "marked.txt": "\ufeffalpha\nbeta\ngamma\ndelta\n",
    "data.json": '{\n  "name": "x",\n  "items": [\n    1,\n    2,\n    2\n  ]\n}',
    "run.sh": "#!/bin/sh\nset -e\necho start\nif true; then\n\techo one\nfi\necho end\n",
}
"""The files of the first commit, with unusual line ends, indentation and byte order marks."""


@dataclass(frozen=True, slots=True)
class Commit:
    """The content of the only changed file before and after a commit, and all other files."""

    path: str
    before: bytes
    after: bytes
    others: dict[str, bytes]


def _line(random: random.Random, like: str) -> str:
    """Return a random line with the indentation of the line `like`."""
    blank = like[: len(like) - len(like.lstrip())]
    one, two = random.choice(_NAMES), random.choice(_NAMES)
    forms = [
        f"{one} = {two} + {random.randrange(99)}",
        f"# {one} of the {two}",
        f"{one}({two})",
        f'"{one}": "{two}",',
        f"- {one} und {two}",
        "}",
        "pass",
    ]
    return blank + random.choice(forms)


def _edit_lines(random: random.Random, lines: list[str]) -> list[str]:
    at = random.randrange(len(lines)) if lines else 0
    near = lines[at] if lines else ""
    match random.randrange(9):
        case 0:
            return [*lines[:at], _line(random, near), *lines[at:]]
        case 1:
            block = [_line(random, near) for _ in range(random.randrange(2, 6))]
            return [*lines[: at + 1], *block, *lines[at + 1 :]]
        case 2 if len(lines) > 4:
            return [*lines[:at], *lines[at + 1 :]]
        case 3 if len(lines) > 8:
            return [*lines[:at], *lines[at + 3 :]]
        case 4:
            old = random.choice(_NAMES)
            return [line.replace(old, random.choice(_NAMES)) for line in lines]
        case 5:
            return [*lines[:at], "  " + near if near.strip() else near, *lines[at + 1 :]]
        case 6:
            return [*lines[:at], near, near, *lines[at + 1 :]]
        case 7 if len(lines) > 6:
            other = random.randrange(len(lines))
            moved = [*lines]
            moved.insert(other, moved.pop(at))
            return moved
        case _:
            words = near.split(" ")
            words[random.randrange(len(words))] = random.choice(_NAMES)
            return [*lines[:at], " ".join(words), *lines[at + 1 :]]


def make_repository(folder: Path, seed: int, count: int) -> None:
    """Create a repository with a first commit, and `count` further commits that change one file each."""
    chance = random.Random(seed)
    files = dict(_START)
    stream = bytearray()

    def commit(number: int, changed: dict[str, str]) -> None:
        who = f"committer A <a@example.com> {1_700_000_000 + number} +0000"
        stream.extend(f"commit refs/heads/main\n{who}\ndata 1\n{number % 10}\n".encode())
        for path, text in changed.items():
            data = text.encode()
            mode = 100755 if path.endswith(".sh") else 100644
            stream.extend(f"M {mode} inline {path}\ndata {len(data)}\n".encode() + data + b"\n")

    commit(0, files)
    made = 0
    while made < count:
        path = chance.choice([*files])
        text = files[path]
        end = "\r\n" if "\r\n" in text else "\n"
        lines = text.split(end)
        for _ in range(chance.randrange(1, 4)):
            lines = [*_edit_lines(chance, lines[:-1]), lines[-1]]
        if path == "marked.txt":
            lines = [
                "\ufeff" + lines[0].replace("\ufeff", ""),
                *(each.replace("\ufeff", "") for each in lines[1:]),
            ]
        new = end.join(lines)
        if new != text:
            made += 1
            files[path] = new
            commit(made, {path: new})
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "fast-import", "--quiet"], input=bytes(stream), check=True)


def commits_of(folder: Path) -> Iterator[Commit]:
    """Yield the commits of a repository in their order, without the first commit."""

    def git(*words: str, data: bytes = b"") -> bytes:
        command = ["git", "-C", str(folder), *words]
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout

    log = git("log", "--reverse", "--raw", "--no-abbrev", "--root", "--format=%H", "main").decode()
    rows = [line.split() for line in log.split("\n") if line.startswith(":")]
    objects = "\n".join(sorted({row[3] for row in rows}))
    batch = git("cat-file", "--batch", data=objects.encode())
    blobs: dict[str, bytes] = {}
    at = 0
    while at < len(batch):
        head, _, _ = batch[at:].partition(b"\n")
        name, _, size = head.decode().split()
        start = at + len(head) + 1
        blobs[name] = batch[start : start + int(size)]
        at = start + int(size) + 1
    files: dict[str, bytes] = {}
    for row in rows:
        former = files.get(row[5])
        if former is not None:
            others = {path: data for path, data in files.items() if path != row[5]}
            yield Commit(row[5], former, blobs[row[3]], others)
        files[row[5]] = blobs[row[3]]


def calls_of_commit(commit: Commit) -> list[tuple[str, dict[str, str]]]:
    """Return the calls of a commit (Edits whose old text occurs once, or one Write), with LF and without a BOM."""
    path = f"$WS/{commit.path}"
    old, new = (each.decode("utf-8-sig").replace("\r\n", "\n") for each in (commit.before, commit.after))
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    calls: list[tuple[str, dict[str, str]]] = []
    text = old
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    blocks = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    for _, a1, a2, b1, b2 in reversed(blocks):
        for around in range(1, 5):
            first, last = max(a1 - around, 0), min(a2 + around, len(before))
            old_string = "".join(before[first:last])
            new_string = "".join((*before[first:a1], *after[b1:b2], *before[a2:last]))
            if old_string and text.count(old_string) == 1:
                break
        else:
            return [("Write", {"file_path": path, "content": new})]
        calls.append(("Edit", {"file_path": path, "old_string": old_string, "new_string": new_string}))
        text = text.replace(old_string, new_string)
    return calls if text == new and len(calls) < 5 else [("Write", {"file_path": path, "content": new})]
