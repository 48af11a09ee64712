"""Any agent's command line as a program to start: its variables from nothing, its files in a fresh home."""

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
from readfirst.harness.processes.supervised_process import bare_variables
from readfirst.harness.suite.repeated_text import with_texts

_FOLDERS = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
}

BASE_VARIABLES = frozenset({"PATH", "LANG", "HOME", "TMPDIR", *_FOLDERS})
"""Every variable that an agent sees besides those of its target."""

_URL = f"http://127.0.0.1:{PORT}"


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """How to start an agent; `$HOME` and `$URL` in all of it are the fresh home and its model's address.

    `places` are more names and what they stand for. `tools` are the names of its tools that the mapping uses: a
    request that offers one asks what to do next. `folders` come first on its PATH. Keys of `files` begin with
    `$HOME/` or `$WS/`; values are text, or written as JSON. `input` is what its standard input holds.
    """

    name: str
    wire: Wire
    command: tuple[str, ...]
    tools: frozenset[str]
    directory: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)
    input: str | None = None
    dialogue: Callable[[Path], JsonLines] | None = None
    """Makes, below the folder that it is given, who speaks with it in place of `input`; None: nobody."""
    places: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    time_limit: float = TIME_LIMIT
    """Seconds that one call may take."""
    sandbox: Sandbox | None = None
    """What it is shut in; None: nothing."""

    def prepare(self, run: Path, events: queue.SimpleQueue[Any]) -> Launch:  # noqa: ARG002 - it has no pauses
        """Make a fresh home below `run` with the files in it."""
        home, temporary = run / "home", run / "tmp"
        for path in (home, temporary, *(home / name for name in _FOLDERS.values())):
            path.mkdir(parents=True, exist_ok=True)
        values = {**self.places, "$HOME": str(home), "$URL": _URL}

        def named(text: str) -> str:
            for name, value in values.items():
                text = text.replace(name, value)
            return text

        written = []
        for name, content in self.files.items():
            file = Path(named(name))
            given = with_texts(content, named)
            text = given if isinstance(given, str) else json.dumps(given)
            replace_file(os.fspath(file), text.encode())
            written.append(file)
        entered = None
        if self.input is not None:
            entered = run / "input"
            entered.write_text(self.input, "utf-8")
        dialogue = None
        if self.dialogue is not None:
            dialogue = self.dialogue(run)
            entered = dialogue.entrance
        variables = {
            **bare_variables(home, *self.folders),
            "TMPDIR": str(temporary),
            **{name: str(home / folder) for name, folder in _FOLDERS.items()},
        }
        for name, value in self.variables.items():
            variables[name] = named(value)
        return Launch(
            command=tuple(map(named, self.command)),
            variables=variables,
            directory=self.directory,
            wire=self.wire,
            tools=self.tools,
            files=tuple(written),
            input=entered,
            dialogue=dialogue,
            sandbox=self.sandbox,
        )
