"""Prepare the start of an agent from a command line, with few environment variables and a new home directory."""

import json
import os
import queue
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import TIME_LIMIT
from readfirst.harness.agents.agent_process import Launch
from readfirst.harness.agents.json_lines import JsonLines
from readfirst.harness.agents.scripted_model.wire_format import Wire
from readfirst.harness.processes.listener import PORT
from readfirst.harness.processes.safe_open import replace_file
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.supervised_process import minimal_environment
from readfirst.harness.suite.repeated_text import map_texts

_XDG_DIRECTORIES = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
}

BASE_VARIABLES = frozenset({"PATH", "LANG", "HOME", "TMPDIR", *_XDG_DIRECTORIES})
"""Environment variables that every agent gets, in addition to the variables of its target."""

_MODEL_URL = f"http://127.0.0.1:{PORT}"


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """The command line, environment and files that start an agent. They may contain placeholders, such as `$HOME` and
    `$URL` (the address of the scripted model).
    """

    name: str
    wire: Wire
    command: tuple[str, ...]
    # the model answers with the next step if a request offers one of these tools
    tools: frozenset[str]
    directory: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)  # by path: texts, or data that are written as JSON
    input: str | None = None
    dialogue: Callable[[Path], JsonLines] | None = None
    """Creates a dialogue that replaces `input`, with a directory for its files. None if the agent uses none."""
    places: Mapping[str, str] = field(default_factory=dict)  # further placeholders and their values
    folders: tuple[Path, ...] = ()  # first directories of the agent's PATH
    time_limit: float = TIME_LIMIT
    """Time limit of one call, in seconds."""
    sandbox: Sandbox | None = None
    """The sandbox of the agent, or None."""

    def prepare(self, run: Path, events: queue.SimpleQueue[Any]) -> Launch:  # noqa: ARG002 - it never pauses
        """Create a home directory in `run`, write `files`, and return the command line and environment of the agent."""
        home, temporary = run / "home", run / "tmp"
        for path in (home, temporary, *(home / name for name in _XDG_DIRECTORIES.values())):
            path.mkdir(parents=True, exist_ok=True)
        values = {**self.places, "$HOME": str(home), "$URL": _MODEL_URL}

        def fill_placeholders(text: str) -> str:
            for name, value in values.items():
                text = text.replace(name, value)
            return text

        written = []
        for name, content in self.files.items():
            file = Path(fill_placeholders(name))
            filled_content = map_texts(content, fill_placeholders)
            text = filled_content if isinstance(filled_content, str) else json.dumps(filled_content)
            replace_file(os.fspath(file), text.encode())
            written.append(file)
        input_path = None
        if self.input is not None:
            input_path = run / "input"
            input_path.write_text(self.input, "utf-8")
        dialogue = None
        if self.dialogue is not None:
            dialogue = self.dialogue(run)
            input_path = dialogue.input_pipe
        variables = {
            **minimal_environment(home, *self.folders),
            "TMPDIR": str(temporary),
            **{name: str(home / folder) for name, folder in _XDG_DIRECTORIES.items()},
        }
        for name, value in self.variables.items():
            variables[name] = fill_placeholders(value)
        return Launch(
            command=tuple(map(fill_placeholders, self.command)),
            variables=variables,
            directory=self.directory,
            wire=self.wire,
            tools=self.tools,
            files=tuple(written),
            input=input_path,
            dialogue=dialogue,
            sandbox=self.sandbox,
        )
