"""The shortest scenario of each rule of safety and contract with longer texts, and as the tenth call of a session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crossings import edit, read

from readfirst.harness.replay.replay import replay
from readfirst.harness.run.connect import connect
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.scenario_writer import values_of
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.harness.yaml_io.yaml_writer import emit_mapping

Values = dict[str, Any]

_WORD = re.compile(r"[A-Za-z]{2,}")
_TEXTS = frozenset({"text", "content", "old_string", "new_string"})
_NEEDED = frozenset({"Read", "Edit", "Write", "deny", "parallel", "during"})
_CANDIDATES = 12
_FAMILIES = ("crossings/", "thresholds/", "crossed/", "opaque-content/", "looks/", "platforms/")

PREFERRED = {
    "deny-edit": "permissions/edit-denied",
    "edit-line-endings": "line-endings/crlf-kept-by-edit",
    "missing-match": "matching/not-found",
    "modes": "links-and-modes/executable-kept-by-edit",
    "write-is-exact": "write/overwrite",
}
"""The scenario of rules whose shortest one is about a special case."""

TENTH = frozenset(
    {
        "ambiguous-match",
        "any-time-is-a-time",
        "backslashes",
        "byte-order-mark-kept",
        "bytes-outside-the-match",
        "calls-in-order",
        "change-during-call",
        "changed-until-read-again",
        "content-is-opaque",
        "created-during-call",
        "creation-keeps-content",
        "deleted-file",
        "deleted-lines",
        "deletion-is-exact",
        "deny-edit",
        "deny-on-every-way",
        "deny-read",
        "edit-creates-files",
        "edit-final-newline",
        "edit-line-endings",
        "edit-refuses-changed-file",
        "edit-refuses-unread-file",
        "edits-in-a-row",
        "equal-neighbours-stay",
        "inserted-characters",
        "inserted-indentation",
        "line-feeds-stand-for-crlf",
        "lone-carriage-returns",
        "markup",
        "missing-match",
        "modes",
        "names-are-opaque",
        "old-string-is-literal",
        "one-match-replaced",
        "own-files-are-known",
        "parallel-edits",
        "partial-read-counts",
        "read-shows-the-disk",
        "refused-call-unlocks-nothing",
        "replace-all",
        "replacement-patterns",
        "utf-16-kept",
        "write-is-exact",
        "write-refuses-changed-file",
        "write-refuses-unread-file",
    }
)
"""The rules that are shown at the tenth call: what a session knows, what is closed, and what a file holds then."""

FORTY, LINES, KIBIBYTES = 40, 10, 5 * 1024
"""Characters that a word becomes, lines, and bytes."""


def forty_characters(word: str) -> str:
    """Return a word of forty characters and more."""
    return "-".join([word] * (FORTY // (len(word) + 1) + 1))


def ten_lines(word: str) -> str:
    """Return ten lines that begin with a word."""
    return "\n".join(f"{word} of line {number}" for number in range(1, LINES + 1))


def five_kibibytes(word: str) -> str:
    """Return a word of five kibibytes."""
    return "-".join([word] * (KIBIBYTES // (len(word) + 1) + 1))


SIZES: Mapping[str, tuple[str, Callable[[str], str | None]]] = {
    "lines": ("with texts of ten lines", ten_lines),
    "kibibytes": ("with texts of five kibibytes", five_kibibytes),
    "tenth": ("with texts of forty characters at the tenth call", forty_characters),
}


def _lengthened(value: Any, change: Callable[[str], str | None], *, is_text: bool = False) -> Any:
    match value:
        case str() if is_text:
            return _WORD.sub(lambda found: change(found[0]) or found[0], value)
        case dict() if "repeat" in value:
            return value
        case dict():
            return {
                key: _lengthened(item, change, is_text=key in _TEXTS or _is_file(key, item, value))
                for key, item in value.items()
            }
        case list():
            return [_lengthened(item, change) for item in value]
        case _:
            return value


def _first_word(steps: Any) -> str:
    """Return the first word that a call seeks or writes; empty if there is none."""
    texts = [
        text
        for step in steps
        for call in (step.values() if isinstance(step, dict) else ())
        if isinstance(call, dict)
        for text in (call.get("old_string"), call.get("content"), call.get("new_string"))
        if isinstance(text, str)
    ]
    found = next(filter(None, (_WORD.search(text) for text in texts)), None)
    return found[0] if found else ""


def _is_file(key: str, item: Any, mapping: Mapping[str, Any]) -> bool:
    """Tell whether a value is the content of a file, written as a string."""
    return isinstance(item, str) and "." in key and not {*mapping} & {"file_path"}


def lengthened(values: Values, size: str) -> Values:
    """Return the values of a scenario with longer texts; for the tenth call, after nine calls about another file."""
    title, change = SIZES[size]
    if size == "kibibytes":  # one word of that size is enough
        chosen = _first_word(values["steps"])
        change = {chosen: five_kibibytes(chosen)}.get
    made = {
        **values,
        **{key: _lengthened(values[key], change) for key in ("given", "steps") if key in values},
    }
    if size == "tenth":
        files = {**made.get("given", {}).get("files", {}), "counted.txt": "step 0\n"}
        made["given"] = {**made.get("given", {}), "files": files}
        counted = [edit("counted.txt", f"step {number}", f"step {number + 1}") for number in range(8)]
        made["steps"] = [read("counted.txt"), *counted, *made["steps"]]
    made["title"] = f"{values['rule'].replace('-', ' ').capitalize()}: the rule holds {title}"
    return made


def scenario_of(values: Values, suite: Suite) -> Scenario:
    """Return the scenario with these values. Raises SuiteError."""
    document = strict_yaml.load("\n".join(emit_mapping(values, 0)).encode(), Path("composed.yaml"))
    return scenario_from(document, "thresholds/x", suite.contracts, require_expect=False, composed=True)


class Trial:
    """Replays scenarios on the reference, to see which calls are refused and why."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._adapter = connect("reference", suite)
        self._places = WorkspacePool(memory=True)

    def errors(self, scenario: Scenario) -> list[str | None]:
        """Return the error of each call, None for an answered one."""
        outcome = replay(scenario, self._adapter, self._places)
        return [result.error for step in outcome.steps for result in step.results]

    def close(self) -> None:
        """Close the adapter and remove the workspaces."""
        self._adapter.close()
        self._places.close()


def candidates(suite: Suite, rule: str) -> Sequence[Scenario]:
    """Return the scenarios of a rule that can be lengthened, the shortest first."""
    found = [
        suite.scenario(each, require_expect=False) for each in suite.ids() if suite.heading(each).rule == rule
    ]
    able = [
        each
        for each in found
        if each.needs <= _NEEDED and not each.law and not each.platform and not each.id.startswith(_FAMILIES)
    ]
    return sorted(
        able,
        key=lambda each: (PREFERRED.get(rule) != each.id, len(each.steps), len(each.given.files), each.id),
    )[:_CANDIDATES]


def thresholds(suite: Suite) -> Iterator[tuple[str, str, Values]]:
    """Yield the size, the rule and the values of each lengthened scenario that answers as the short one does."""
    assert suite.rules is not None
    trial = Trial(suite)
    for rule in (*suite.rules.of("safety"), *suite.rules.of("contract")):
        open_sizes = [size for size in SIZES if size != "tenth" or rule.id in TENTH]
        for scenario in candidates(suite, rule.id):
            try:
                values = values_of(scenario)
            except ValueError:
                continue
            before = trial.errors(scenario)
            for size in [*open_sizes]:
                longer = lengthened({**values, "rule": rule.id}, size)
                try:
                    made = scenario_of(longer, suite)
                except SuiteError:
                    continue
                skipped = 9 if size == "tenth" else 0
                is_longer = size == "tenth" or longer["steps"] != values["steps"]
                if is_longer and trial.errors(made)[skipped:] == before:
                    open_sizes.remove(size)
                    yield size, rule.id, longer
            if not open_sizes:
                break
    trial.close()
