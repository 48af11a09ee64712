"""Wordings: how an implementation words its refusals, as it does in a few scenarios that ask for one each."""

import re
from collections.abc import Iterator

from readfirst.harness.replay.replay import replay
from readfirst.harness.session import Adapter
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.site import SitePool

SCENARIOS = (
    "gate/edit-unread",
    "gate/write-unread",
    "staleness/edit-after-change",
    "staleness/write-after-change",
    "read-output/missing-file",
    "creation/missing-with-old-string",
    "matching/case-sensitive",
    "matching/two-matches-on-one-line",
    "matching/no-changes",
)
"""Each is refused once under every contract, for one reason that has a name."""
_ALSO_UNREAD = "creation/missing-with-old-string"
"""The one whose file was not read either: what is said of files that were not read may be said here, too."""

_SHORTEST = 4
"""Characters of an old_string that is looked for in a message; a shorter one may be there by chance."""


def wordings_seen(adapter: Adapter, place: SitePool) -> dict[str, tuple[str, ...]]:
    """Return forms of messages by the names of errors: what the implementation said, with `{path}` and `{text}`.

    What the suite itself recognises is left out, and what an implementation says for more than one reason.
    """
    seen: dict[str, dict[str, None]] = {}
    for scenario_id in SCENARIOS:
        for name, form in _refusals(adapter, place, scenario_id):
            if scenario_id != _ALSO_UNREAD or "not_read" not in seen.get(form, {}):
                seen.setdefault(form, {})[name] = None
    forms: dict[str, list[str]] = {}
    for form, names in seen.items():
        if len(names) == 1:
            forms.setdefault(next(iter(names)), []).append(form)
    return {name: tuple(found) for name, found in forms.items()}


def _refusals(adapter: Adapter, place: SitePool, scenario_id: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each error that a scenario expects, and what was said where the call was refused."""
    suite = Suite(default_root())
    scenario = suite.scenario(scenario_id)
    outcome = replay(scenario, adapter, place)
    for step, played in zip(scenario.steps, outcome.steps, strict=False):
        if not isinstance(step, ToolCall) or not played.results or not played.results[0].is_error:
            continue
        expected, text = step.expect.recorded, played.results[0].text.strip()
        if expected is None or not expected.error or suite.vocabulary.name_of(step.tool, text) is not None:
            continue
        if form := _form(text, step):
            yield expected.error, form


def _form(text: str, call: ToolCall) -> str:
    """Return a message with placeholders for what is of this call; empty where no words are left."""
    first, line_end, _ = text.partition("\n")
    path = str(call.arguments["file_path"])
    for spelling in (path, path.removeprefix("$WS/"), "$WS"):
        first = first.replace(spelling, "{path}")
    old = str(call.arguments.get("old_string", ""))
    if len(old) >= _SHORTEST:
        first = first.replace(old, "{text}")
    form = first.rstrip() + ("{rest}" if line_end else "")
    return form if re.search(r"\w", re.sub(r"\{[a-z]+\}", "", form)) else ""
