"""Write scenario files as YAML."""

from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.case_table import SCENARIO_KEYS
from readfirst.harness.suite.events import EVENTS_WITH_STEPS
from readfirst.harness.yaml_io.yaml_writer import emit_flow, emit_mapping

_SCHEMA_LINE = "# yaml-language-server: $schema=../../schema/scenario.schema.json"
_MAX_LINE_CHARS = 110
_LIST_KEYS = ("parallel", "during", "steps")


def scenario_text(values: Mapping[str, Any]) -> str:
    """Return the text of a scenario file with the keys and values `values`."""
    ordered = {key: values[key] for key in SCENARIO_KEYS if key in values}
    return "\n".join([_SCHEMA_LINE, *yaml_lines(ordered, 0)]) + "\n"


def yaml_lines(values: Mapping[str, Any], indent: int) -> list[str]:
    """Return some keys of a scenario as lines of YAML. Short values, except files and expectations, use one line."""
    lines = []
    for key, value in values.items():
        name = f"{' ' * indent}{emit_flow(key)}:"
        flow = f"{name} {emit_flow(value)}"
        if key in _LIST_KEYS and isinstance(value, list):
            lines.append(name)
            for each in value:
                first, *rest = yaml_lines(each, indent + 4)
                lines += [f"{' ' * (indent + 2)}- {first.lstrip()}", *rest]
        elif key in ("given", *EVENTS_WITH_STEPS) and isinstance(value, dict):
            lines += [name, *yaml_lines(value, indent + 2)]
        elif (
            isinstance(value, dict | list) and key not in ("files", "expect") and len(flow) <= _MAX_LINE_CHARS
        ):
            lines.append(flow)
        else:
            lines += emit_mapping({key: value}, indent)
    return lines
