"""Implementations that do not answer properly at all; each runs in a process of its own."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from altered import Altered

from readfirst.harness.session import ToolResult


class Faulty(Altered):
    """Goes wrong at every Edit."""

    def alter(self, tool: str, arguments: Mapping[str, Any], strike: Callable[[], None]) -> Any:
        return self.fail() if tool == "Edit" else self.reference(tool, arguments, strike)

    def fail(self) -> Any:
        raise NotImplementedError


class Hangs(Faulty):
    """Never answers."""

    def fail(self) -> Any:
        while True:
            pass


class Crashes(Faulty):
    """Ends its process."""

    def fail(self) -> Any:
        os._exit(9)


class Aborts(Faulty):
    """Ends its process by a signal."""

    def fail(self) -> Any:
        os.abort()


class Raises(Faulty):
    """Raises where it should refuse."""

    def fail(self) -> Any:
        raise PermissionError("File has not been read yet. Read it first before writing to it.")


class Floods(Faulty):
    """Prints without end."""

    def fail(self) -> Any:
        while True:
            os.write(1, b"flood\n" * 10_000)


class FloodsAnswer(Faulty):
    """Answers with more text than any message may hold."""

    def fail(self) -> Any:
        return ToolResult("File has not been read yet. " * 1_000_000, True)


class AnswersGarbage(Faulty):
    """Answers with something that is not a result."""

    def fail(self) -> Any:
        return {"text": "File has not been read yet.", "isError": True}


class AnswersNull(Faulty):
    """Answers with nothing as text."""

    def fail(self) -> Any:
        return ToolResult(None, True)  # type: ignore[arg-type]
