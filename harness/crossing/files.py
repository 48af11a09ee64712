"""Files: crossed scenarios as YAML without expectations, and whether the files of a suite are those."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from readfirst.harness.crossing.chosen import CHOSEN
from readfirst.harness.crossing.composition import crossed_scenarios
from readfirst.harness.crossing.draw import drawn
from readfirst.harness.fuzz.scenario_file import scenario_yaml
from readfirst.harness.source.emit import emit_mapping, emit_string
from readfirst.harness.suite.entry import Entry, HardLink, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import Scenario, Step, ToolCall, WorldEvent
from readfirst.harness.suite.shift import shift_text
from readfirst.harness.suite.suite import Suite

__all__ = ["FAMILY", "drawn_text", "planned", "scenario_text", "stale", "without_expectations"]

FAMILY = "crossed"

_HEAD = """\
# yaml-language-server: $schema=../../schema/scenario.schema.json
# Written by `python3 tools/crossing.py --write`, and the expectations by `readfirst product record`.
"""
_IN_FLOW = re.compile(r"[][{},]")
_EXPECT = "    expect:"


def planned(suite: Suite) -> dict[str, str]:
    """Return the text of every crossed scenario by its id, without expectations."""
    if suite.rules is None:
        raise ValueError(f"{suite.root} has no rules.yaml")
    rules = suite.rules
    composed = {each.id: scenario_text(each) for each in crossed_scenarios(rules)}
    chosen = (drawn(theme, number, rules) for theme, numbers in CHOSEN.items() for number in numbers)
    return composed | {each.id: drawn_text(each) for each in chosen}


def stale(suite: Suite) -> tuple[dict[str, str], list[str]]:
    """Return the texts that the suite lacks or has otherwise, by id, and the ids that it has and should not have."""
    wanted = planned(suite)
    present = {each for each in suite.ids() if each.partition("/")[0] == FAMILY}
    differing = {
        name: text
        for name, text in wanted.items()
        if name not in present or without_expectations(suite.path(name).read_text("utf-8")) != text
    }
    return differing, sorted(present - wanted.keys())


def without_expectations(text: str) -> str:
    """Return a scenario file as it was before anything was recorded into it."""
    kept = []
    inside = False
    for line in text.splitlines(keepends=True):
        if inside and line.strip() and not line.startswith(" " * 6):
            inside = False
        inside = inside or line.startswith(_EXPECT)
        if not inside:
            kept.append(line)
    return "".join(kept)


def scenario_text(scenario: Scenario) -> str:
    """Return the file of a crossed scenario."""
    lines = [
        f"title: {emit_string(scenario.title)}",
        f"requirement: {scenario.requirement}",
        f"rule: {scenario.rule}",
        f"tags: [{', '.join(scenario.tags)}]",
        "given:",
        *emit_mapping({"files": {path: _entry(each) for path, each in scenario.given.files.items()}}, 2),
        "steps:",
    ]
    for step in scenario.steps:
        lines += _step(step)
    return _HEAD + "\n".join(lines) + "\n"


def drawn_text(scenario: Scenario) -> str:
    """Return the file of a drawn scenario, whose texts have more lines than fit beside each other."""
    _, _, rest = scenario_yaml(scenario).partition("\n")
    return f"{_HEAD}{rest}"


def _step(step: Step) -> list[str]:
    match step:
        case ToolCall(tool, arguments):
            return [f"  - {tool}: {_flow(arguments)}"]
        case WorldEvent(kind="touch", path=path, mtime=shift):
            return [f"  - touch: {_flow({path: {'mtime': shift_text(shift or 0)}})}"]
        case WorldEvent(kind="chmod", path=path, mode=mode):
            return [f"  - chmod: {_flow({path: f'{mode or 0:04o}'})}"]
        case WorldEvent(kind="modify", path=path, entry=RegularFile() as entry, mtime=shift):
            fields = _entry(entry)
            fields = {"text": fields} if isinstance(fields, str) else fields
            fields = fields if shift == 2 else {**fields, "mtime": shift_text(shift or 0)}
            return ["  - modify:", *emit_mapping({path: fields}, 6)]
        case _:
            raise ValueError(f"a crossed scenario has no step such as {step}")


def _entry(entry: Entry) -> Any:
    match entry:
        case RegularFile(TextContent(text, times, encoding, bom, eol), mode):
            fields: dict[str, Any] = {"text": text} if times is None else {"repeat": text, "times": times}
            fields |= {} if encoding == "utf-8" else {"encoding": encoding}
            fields |= {"bom": True} if bom else {}
            fields |= {} if eol == "lf" else {"eol": eol}
            fields |= {} if mode is None else {"mode": f"{mode:04o}"}
            return fields
        case Symlink(target):
            return {"symlink": target}
        case HardLink(to):
            return {"hardlink": to}
        case _:
            raise ValueError(f"a crossed scenario has no {type(entry).__name__}")


def _flow(mapping: Mapping[str, Any]) -> str:
    """Return a mapping on one line."""
    return "{" + ", ".join(f"{_word(key)}: {_value(value)}" for key, value in mapping.items()) + "}"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return _word(value)
        case _:
            return _flow(value)


def _word(text: str) -> str:
    written = emit_string(text)
    return f'"{written}"' if not written.startswith('"') and _IN_FLOW.search(written) else written
