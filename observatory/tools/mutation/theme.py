"""Write a file of composed scenarios, whose expectations are only in the recordings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.case_table import HEADING_KEYS
from readfirst.harness.suite.scenario_writer import yaml_lines
from readfirst.harness.yaml_io.yaml_writer import emit_flow

_SCHEMA = "# yaml-language-server: $schema=../../schema/cases.schema.json"
_LISTS = ("parallel", "during", "steps")


def theme_text(scenarios: Mapping[str, Mapping[str, Any]], note: str) -> str:
    """Return the YAML text of a file with several scenarios, by the last part of their ids. Shared metadata is at the
    top, after the comment `note`. Each workspace file and each step is on one line. Expected results are omitted.
    """
    first = next(iter(scenarios.values()))
    common = [
        key for key in HEADING_KEYS if all(each.get(key) == first.get(key) for each in scenarios.values())
    ]
    own = [key for key in HEADING_KEYS if key not in common]
    lines = [_SCHEMA, f"# {note}", *yaml_lines(_heading(first, common), 0), "cases:"]
    for slug in sorted(scenarios):
        values = scenarios[slug]
        lines += [f"  {slug}:", *yaml_lines(_heading(values, own), 4)]
        if given := values.get("given"):
            lines += ["    given:", *_lines(given, 6)]
        lines.append("    steps:")
        for step in values["steps"]:
            first_line, *others = _lines(_bare(step), 8)
            lines += [f"      - {first_line.lstrip()}", *others]
    return "\n".join(lines) + "\n"


def _heading(values: Mapping[str, Any], keys: list[str]) -> dict[str, Any]:
    return {key: values[key] for key in keys if key in values}


def _lines(mapping: Mapping[str, Any], indent: int) -> list[str]:
    """Return the YAML lines of a mapping. Each value, workspace file, step and call in a list is on one line."""
    indentation = " " * indent
    lines = []
    for key, value in mapping.items():
        if key in ("files", *_LISTS) and value:
            lines.append(f"{indentation}{key}:")
            parts = value.items() if isinstance(value, Mapping) else ((None, item) for item in value)
            for name, item in parts:
                head = "-" if name is None else f"{emit_flow(name)}:"
                lines.append(f"{indentation}  {head} {emit_flow(item)}")
        else:
            lines.append(f"{indentation}{emit_flow(key)}: {emit_flow(value)}")
    return lines


def _bare(step: Any) -> Any:
    """Return a copy of a step without its expected results."""
    match step:
        case dict():
            return {
                key: _bare(value) if key in _LISTS else value
                for key, value in step.items()
                if key != "expect"
            }
        case list():
            return [*map(_bare, step)]
        case _:
            return step
