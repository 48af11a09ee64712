"""The commands on the pages of the documentation: the lines of console blocks that begin with `$ `."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *sorted((CHECKOUT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^ *```(.*)$")
_COMMAND = re.compile(r"^ *\$ (.*?)(?:\s+# .*)?$")


@dataclass(frozen=True)
class Block:
    """The commands of a console block. `line` is the line of the first command on the page."""

    page: str
    line: int
    commands: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def name_of(page: Path) -> str:
    return page.relative_to(CHECKOUT).as_posix()


def blocks() -> list[Block]:
    """Return the console blocks of all pages. Raises ValueError if a command is not in a console block."""
    found = []
    for page in PAGES:
        kind, commands, first = None, [], 0
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if fence := _FENCE.match(line):
                if commands:
                    found.append(Block(name_of(page), first, tuple(commands)))
                kind, commands = (fence[1] or "text", []) if kind is None else (None, [])
            elif command := _COMMAND.match(line):
                if kind != "console":
                    raise ValueError(f"{name_of(page)}:{number}: a command outside of a console block")
                first = first if commands else number
                commands.append(command[1])
    return found


def code(page: str, language: str) -> list[str]:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for block in found]
