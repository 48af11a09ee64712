"""Implementations that do not answer as an adapter must. Each runs in a separate process."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from readfirst import FileTools, Result, ToolResult, Workspace

Arguments = Mapping[str, Any]


def convert_result(result: Result) -> ToolResult:
    return ToolResult(result.text, result.is_error, result.error)


class Faulty:
    """Behaves like the reference for 2.1.7, except that every Edit calls `fail`."""

    def __init__(self, workspace: Workspace) -> None:
        self.tools = FileTools("2.1.7", root=workspace.root, home=workspace.home)

    @classmethod
    def open(cls, workspace: Workspace) -> "Faulty":
        return cls(workspace)

    def call(self, tool: str, arguments: Arguments) -> Any:
        return self.fail() if tool == "Edit" else convert_result(self.tools.call(tool, arguments))

    def fail(self) -> Any:
        raise NotImplementedError


class Hangs(Faulty):
    """Never answers."""

    def fail(self) -> Any:
        while True:
            pass


class Crashes(Faulty):
    """Ends its process with exit code 9."""

    def fail(self) -> Any:
        os._exit(9)


class Aborts(Faulty):
    """Ends its process by a signal."""

    def fail(self) -> Any:
        os.abort()


class Raises(Faulty):
    """Raises an exception instead of refusing the call."""

    def fail(self) -> Any:
        raise PermissionError("File has not been read yet. Read it first before writing to it.")


class Floods(Faulty):
    """Prints without end instead of answering."""

    def fail(self) -> Any:
        while True:
            os.write(1, b"flood\n" * 10_000)


class AnswersGarbage(Faulty):
    """Answers with a value that is not a `ToolResult`."""

    def fail(self) -> Any:
        return {"text": "File has not been read yet.", "isError": True}


class AnswersNull(Faulty):
    """Answers with None as the text."""

    def fail(self) -> Any:
        return ToolResult(None, True)  # type: ignore[arg-type]


class ForgetsAParallelResult(Faulty):
    """Answers all parallel calls of a message except the last."""

    capabilities = frozenset({"Read", "Edit", "Write", "parallel"})

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        return [convert_result(result) for result in self.tools.call_parallel(calls)][:-1]

    def fail(self) -> Any:
        return ToolResult("done")


class DeclinesEverything(Faulty):
    """Declares no capabilities, so that no scenario can fail."""

    capabilities: frozenset[str] = frozenset()
