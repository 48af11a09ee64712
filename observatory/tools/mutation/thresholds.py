"""Create the scenarios of the family `thresholds`: the shortest scenario of each rule in the classes safety and design,
with longer texts or with more calls before it.
"""

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
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.harness.yaml_io.yaml_writer import emit_mapping
from readfirst.observatory.fuzz.scenario_values import scenario_values

Values = dict[str, Any]
Change = Callable[[str], str | None]

_WORD_PATTERN = re.compile(r"[A-Za-z]{2,}")
_LETTER_PATTERN = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])")
"""Matches a single letter. Used for scenarios whose texts contain no words: their letters are lengthened instead."""
_TEXT_KEYS = frozenset({"text", "content", "old_string", "new_string"})
_REQUIRED = frozenset({"Read", "Edit", "Write", "deny", "parallel", "during"})
_MAX_CANDIDATES = 12
_GENERATED_FAMILIES = ("crossings/", "thresholds/", "crossed/", "opaque-content/", "looks/", "platforms/")

PREFERRED = {
    "deny-edit": "permissions/edit-denied",
    "edit-line-endings": "line-endings/crlf-kept-by-edit",
    "missing-match": "matching/not-found",
    "modes": "links-and-modes/executable-kept-by-edit",
    "write-is-exact": "write/overwrite",
}
"""The scenario that is lengthened for a rule. Only rules whose shortest scenario is about a special case are listed."""

FORTY, LINES, KIBIBYTES = 40, 10, 5 * 1024
"""The lengths of new texts: a word of 40 characters, a text of 10 lines, and a word of 5 KiB."""


def forty_characters(word: str) -> str:
    """Return a text of at least forty characters that repeats a word."""
    return "-".join([word] * (FORTY // (len(word) + 1) + 1))


def ten_lines(word: str) -> str:
    """Return a text of ten lines that all begin with a word."""
    return "\n".join(f"{word} of line {number}" for number in range(1, LINES + 1))


def five_kibibytes(word: str) -> str:
    """Return a text of at least five kibibytes that repeats a word."""
    return "-".join([word] * (KIBIBYTES // (len(word) + 1) + 1))


SIZES: Mapping[str, tuple[str, Change]] = {
    "lines": ("with texts of ten lines", ten_lines),
    "kibibytes": ("with texts of five kibibytes", five_kibibytes),
    "tenth": ("with texts of forty characters at the tenth call", forty_characters),
}


def _lengthen(value: Any, words: re.Pattern[str], change: Change, *, is_text: bool = False) -> Any:
    match value:
        case str() if is_text:
            return words.sub(lambda found: change(found[0]) or found[0], value)
        case dict() if "repeat" in value:
            return value
        case dict():
            return {
                key: _lengthen(item, words, change, is_text=key in _TEXT_KEYS or _is_file(key, item, value))
                for key, item in value.items()
            }
        case list():
            return [_lengthen(item, words, change) for item in value]
        case _:
            return value


def _call_texts(steps: Any) -> Iterator[str]:
    """Yield the texts that the calls in `steps` search or write, including parallel calls."""
    for step in steps:
        for name, call in step.items() if isinstance(step, dict) else ():
            if name == "parallel":
                yield from _call_texts(call)
            elif isinstance(call, dict):
                found = (call.get(key) for key in ("old_string", "content", "new_string"))
                yield from (text for text in found if isinstance(text, str))


def _find_words(steps: Any) -> re.Pattern[str]:
    """Return a pattern for words of at least two letters or, if no call's text has any, for single letters."""
    return (
        _WORD_PATTERN
        if any(map(_WORD_PATTERN.search, _call_texts(steps))) or not any(_call_texts(steps))
        else _LETTER_PATTERN
    )


def _is_file(key: str, item: Any, mapping: Mapping[str, Any]) -> bool:
    """Whether `item`, the value of `key` in `mapping` (a part of a scenario), is a workspace file's text."""
    return isinstance(item, str) and "." in key and not {*mapping} & {"file_path"}


def lengthen_texts(values: Values, size: str) -> Values:
    """Return the scenario with its texts lengthened to `size`, a key of SIZES. `tenth` adds nine calls at the start."""
    title, change = SIZES[size]
    words = _find_words(values["steps"])
    if size == "kibibytes":  # one word of that size is enough
        texts = [*_call_texts(values["steps"]), *map(str, values.get("given", {}).get("files", {}).values())]
        chosen = next((found[0] for found in map(words.search, texts) if found), "")
        change = {chosen: five_kibibytes(chosen)}.get
    made = {
        **values,
        **{key: _lengthen(values[key], words, change) for key in ("given", "steps") if key in values},
    }
    if size == "tenth":
        if made == values:
            title = "at the tenth call"
        files = {**made.get("given", {}).get("files", {}), "counted.txt": "step 0\n"}
        made["given"] = {**made.get("given", {}), "files": files}
        counted = [edit("counted.txt", f"step {number}", f"step {number + 1}") for number in range(8)]
        made["steps"] = [read("counted.txt"), *counted, *made["steps"]]
    made["title"] = f"{values['rule'].replace('-', ' ').capitalize()}: the rule holds {title}"
    return made


def scenario_of(values: Values, suite: Suite) -> Scenario:
    """Return the Scenario with the `values` of its YAML file. Raises SuiteError if they are invalid."""
    document = strict_yaml.load("\n".join(emit_mapping(values, 0)).encode(), Path("composed.yaml"))
    return scenario_from(document, "thresholds/x", suite.contracts, require_expect=False, composed=True)


class Trial:
    """Replays scenarios on the reference. Used to check that a longer scenario has the same errors."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._adapter = connect("reference", suite)
        self._places = WorkspacePool(memory=True)

    def errors(self, scenario: Scenario) -> list[str | None]:
        """Replay a scenario, and return the name of each call's error. None for a call that is not refused."""
        outcome = replay(scenario, self._adapter, self._places)
        return [result.error for step in outcome.steps for result in step.results]

    def close(self) -> None:
        """Close the adapter, and remove the workspaces that the replays used."""
        self._adapter.close()
        self._places.close()


def candidates(suite: Suite, rule: str) -> Sequence[Scenario]:
    """Return the scenarios of a rule that can be lengthened, at most _MAX_CANDIDATES, the shortest first."""
    found = [
        suite.scenario(each, require_expect=False) for each in suite.ids() if suite.heading(each).rule == rule
    ]
    able = [
        each
        for each in found
        if each.needs <= _REQUIRED
        and not each.invariant
        and not each.platform
        and not each.id.startswith(_GENERATED_FAMILIES)
    ]
    return sorted(
        able,
        key=lambda each: (PREFERRED.get(rule) != each.id, len(each.steps), len(each.given.files), each.id),
    )[:_MAX_CANDIDATES]


def is_longer(longer: Values, values: Values, size: str) -> bool:
    """Whether texts of calls have become longer or, without such texts, files. True for `tenth`, which adds calls."""
    keys = ("steps",) if any(_call_texts(values["steps"])) else ("given",)
    return size == "tenth" or any(longer.get(key) != values.get(key) for key in keys)


def without_scenarios() -> Mapping[str, str]:
    """Return the ids of the rules that have no scenario in `thresholds/` on purpose, each with the reason."""
    path = Path(__file__).with_suffix(".yaml")
    reasons: Mapping[str, str] = strict_yaml.load(path.read_bytes(), path).value
    return reasons


def thresholds(suite: Suite) -> Iterator[tuple[str, str, Values]]:
    """Yield new scenarios with longer texts: the size (a key of `SIZES`), the id of the rule, and the content. Each is
    made from the shortest suitable scenario of a rule of the class safety or design.
    """
    assert suite.rules is not None
    trial = Trial(suite)
    for rule in (*suite.rules.of("safety"), *suite.rules.of("design")):
        open_sizes = [size for size in SIZES if f"thresholds/{rule.id}-{size}" not in suite.ids()]
        for scenario in candidates(suite, rule.id) if open_sizes else ():
            try:
                values = scenario_values(scenario)
            except ValueError:
                continue
            before = trial.errors(scenario)
            for size in [*open_sizes]:
                longer = lengthen_texts({**values, "rule": rule.id}, size)
                try:
                    made = scenario_of(longer, suite)
                except SuiteError:
                    continue
                skipped = 9 if size == "tenth" else 0
                if is_longer(longer, values, size) and trial.errors(made)[skipped:] == before:
                    open_sizes.remove(size)
                    yield size, rule.id, longer
            if not open_sizes:
                break
    trial.close()
