"""Runs in a target's own environment: gives an answer in search/replace blocks to a coder of aider, which applies it.

No model is asked: the coder gets the text as if one had answered. A refusal is what it says back to the model or, where
that is nothing, the errors that it shows to the user.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from readfirst.harness.session import Workspace


class _Session:
    def __init__(self, model: Any, analytics: Any) -> None:
        io = importlib.import_module("aider.io").InputOutput(pretty=False, yes=True, fancy_input=False)
        self._said: list[str] = []
        io.tool_error = self._said.append
        io.tool_output = io.tool_warning = lambda *_words, **_form: None
        make = importlib.import_module("aider.coders").Coder.create
        self._coder = make(
            model, "diff", io, use_git=False, map_tokens=0, auto_lint=False, stream=False, analytics=analytics
        )

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Put a file into the chat, or apply an answer."""
        path = arguments["path"]
        self._said.clear()
        return self._added(path) if tool == "add" else self._applied(path, arguments["answer"])

    def _added(self, path: str) -> dict[str, Any]:
        self._coder.add_rel_fname(path)
        name = self._coder.abs_root_path(path)
        shown = dict(self._coder.get_abs_fnames_content())
        return {"text": shown.get(name, "\n".join(self._said)), "is_error": name not in shown}

    def _applied(self, path: str, answer: str) -> dict[str, Any]:
        self._coder.reflected_message = None
        opening, closing = self._coder.fence
        self._coder.partial_response_content = f"{path}\n{opening}\n{answer}{closing}\n"
        edited = self._coder.apply_updates()
        refused = self._coder.reflected_message or "\n".join(self._said)
        return {"text": refused or "Applied edit", "is_error": bool(refused) or not edited}


class Coder:
    """The coder for the format `diff`, without git, in which every question is answered by yes.

    It counts uses in a file of the home, which is therefore that of this process and no session's.
    """

    def __init__(self) -> None:
        self._model = importlib.import_module("aider.models").Model("gpt-4o")
        self._analytics = importlib.import_module("aider.analytics").Analytics()

    def open(self, workspace: Workspace) -> _Session:  # noqa: ARG002 - the process is in it
        """Make a coder whose chat has no files."""
        return _Session(self._model, self._analytics)
