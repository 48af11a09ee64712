"""Written: scenarios as YAML, from the values of their files."""

from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.harness.source.emit import emit_flow, emit_mapping
from readfirst.harness.suite.cases import HEADING_KEYS
from readfirst.harness.suite.session_events import WITH_STEPS

_SCHEMA = "# yaml-language-server: $schema=../../schema/scenario.schema.json"
_WIDE = 110
_LISTS = ("parallel", "during", "steps")


def scenario_text(values: Mapping[str, Any]) -> str:
    """Return the file of a scenario, given its values."""
    lines = [_SCHEMA, *heading_lines(values, HEADING_KEYS, 0)]
    if given := values.get("given"):
        lines += ["given:", *_block(given, 2)]
    lines.append("steps:")
    for step in values["steps"]:
        lines += _step(step, 2)
    return "\n".join(lines) + "\n"


def heading_lines(values: Mapping[str, Any], keys: Sequence[str], indent: int) -> list[str]:
    """Return the lines of what a scenario says of itself, as far as `keys` name it."""
    lines = []
    for key in keys:
        if key in values:
            flow = key == "tags" or not isinstance(values[key], str)
            if flow and len(emit_flow(values[key])) < _WIDE - 20:
                lines.append(f"{' ' * indent}{key}: {emit_flow(values[key])}")
            else:
                lines += emit_mapping({key: values[key]}, indent)
    return lines


def _block(mapping: Mapping[str, Any], indent: int) -> list[str]:
    """Return a block mapping; lists that fit are on one line."""
    lines = []
    for key, value in mapping.items():
        flow = f"{' ' * indent}{emit_flow(key)}: {emit_flow(value)}"
        if isinstance(value, list) and len(flow) <= _WIDE:
            lines.append(flow)
        else:
            lines += emit_mapping({key: value}, indent)
    return lines


def _step(step: Mapping[str, Any], indent: int) -> list[str]:
    """Return a step, its action on one line where that fits."""
    indentation = " " * indent
    lines: list[str] = []
    for number, (key, value) in enumerate(step.items()):
        margin = f"{indentation}- " if number == 0 else f"{indentation}  "
        if key in _LISTS and isinstance(value, list):
            lines.append(f"{margin}{key}:")
            for each in value:
                lines += _step(each, indent + 4)
        elif key in WITH_STEPS and isinstance(value, dict):
            lines += [f"{margin}{key}:", *(f"{indentation}    {line}" for line in _agent(value))]
        elif key == "expect" and isinstance(value, dict | list) and value:
            lines += [f"{margin}{key}:", *_expected(value, indent + 4)]
        elif len(flow := f"{margin}{emit_flow(key)}: {emit_flow(value)}") <= _WIDE or not isinstance(
            value, dict
        ):
            lines.append(flow)
        else:
            lines += [f"{margin}{emit_flow(key)}:", *_block(value, indent + 4)]
    return lines


def _agent(value: Mapping[str, Any]) -> list[str]:
    lines = [f"{key}: {emit_flow(each)}" for key, each in value.items() if key != "steps"]
    return [*lines, "steps:", *(line for step in value["steps"] for line in _step(step, 2))]


def _expected(value: Any, indent: int) -> list[str]:
    if isinstance(value, dict):
        return emit_mapping(value, indent)
    lines = []
    for clause in value:
        first, *rest = emit_mapping(clause, indent + 2) if isinstance(clause, dict) else [clause]
        lines += [f"{' ' * indent}- {first.lstrip()}", *rest]
    return lines
