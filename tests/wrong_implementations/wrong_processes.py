"""Implementations that do not answer properly at all; each runs in a process of its own."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from readfirst import FileTools, Result, ToolResult, Workspace

Arguments = Mapping[str, Any]


def answered(result: Result) -> ToolResult:
    return ToolResult(result.text, result.is_error, result.error)


class Faulty:
    """The reference for 2.1.7, which goes wrong at every Edit."""

    def __init__(self, workspace: Workspace) -> None:
        self.tools = FileTools("2.1.7", root=workspace.root, home=workspace.home)

    @classmethod
    def open(cls, workspace: Workspace) -> "Faulty":
        return cls(workspace)

    def call(self, tool: str, arguments: Arguments) -> Any:
        return self.fail() if tool == "Edit" else answered(self.tools.call(tool, arguments))

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


class AnswersGarbage(Faulty):
    """Answers with something that is not a result."""

    def fail(self) -> Any:
        return {"text": "File has not been read yet.", "isError": True}


class AnswersNull(Faulty):
    """Answers with nothing as text."""

    def fail(self) -> Any:
        return ToolResult(None, True)  # type: ignore[arg-type]


class ForgetsAParallelResult(Faulty):
    """Answers all calls of a message but the last."""

    capabilities = frozenset({"Read", "Edit", "Write", "parallel"})

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        return [answered(result) for result in self.tools.call_parallel(calls)][:-1]

    def fail(self) -> Any:
        return ToolResult("done")


class DeclinesEverything(Faulty):
    """Declares that it can do nothing, so that nothing can fail."""

    capabilities: frozenset[str] = frozenset()
