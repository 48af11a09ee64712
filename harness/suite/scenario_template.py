"""Write a new scenario file from a template with comments. The scenario can be recorded without changes."""

import re
from pathlib import Path

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.yaml_writer import emit_string

ID_PATTERN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")

_TEMPLATE = """\
{schema}# One sentence that states the behaviour, up to 100 characters, no full stop.
title: TODO
# must: the contract. should: good conduct. observed: a quirk or a bug of the product.
requirement: must
{rule}{about}given:
  files:
    # Exact content. CR, NUL, BOM and trailing spaces as escapes; `readfirst docs format` has more forms.
    {file}: "alpha\\nbeta\\n"
steps:
  # Calls of the model begin with a capital letter; $WS is the workspace.
  - Read: {{file_path: $WS/{file}}}
    expect: shown
  # Changes that no tool makes: modify, touch, delete, rename, chmod, symlink, mkdir.
  - modify: {{{file}: "alpha\\nBETA\\n"}}
  - Edit: {{file_path: $WS/{file}, old_string: alpha, new_string: gamma}}
{end}
"""
_SCHEMA_LINE = "# yaml-language-server: $schema=../../schema/scenario.schema.json\n"
_RULE_LINES = """\
# The one rule that the title shows: an id of rules.yaml; `readfirst rules` lists them.
rule: TODO
"""
_METADATA_LINES = """\
# From tags.yaml, in alphabetical order.
tags: []
# Where it was reported or is documented: a URL, or `document.txt, Section`.
sources: []
"""
_END_IF_RECORDED = "# Record the expectations from the real product: readfirst product record {id}"
_END_BY_HAND = """\
    # By hand: `done`, `shown`, `{{error: NAME}}` (`readfirst docs format`).{product}
    expect: {{error: modified_since_read}}"""
_RECORD_ADVICE = " Or: readfirst product record {id}"


class TemplateError(ReadfirstError):
    """The new scenario file cannot be written. The message states the reason and the solution."""


def check_id(scenario_id: str) -> None:
    """Raise TemplateError unless `scenario_id` is a valid id of a scenario."""
    if not ID_PATTERN.fullmatch(scenario_id):
        raise TemplateError(
            f"{scenario_id!r} is not an id: write family/slug in lower-case letters, digits and hyphens, "
            "for example staleness/edit-after-change. A table of cases (`family/slug.cases.yaml`) is written by hand: "
            "see `readfirst docs format`, Several scenarios in one file"
        )


def begin_suite(root: Path) -> bool:
    """Create a suite directory with a name and a version. Return False if it is not empty. Raises OSError."""
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        return False
    (root / "scenarios").mkdir(parents=True)
    (root / "suite.yaml").write_text(f'name: {emit_string(root.resolve().name)}\nversion: "0.1"\n', "utf-8")
    return True


def write_template(suite: Suite, scenario_id: str) -> Path:
    """Write a new scenario file from the template, and return its path. Raises TemplateError."""
    check_id(scenario_id)
    if suite.has(scenario_id):
        raise TemplateError(
            f"{scenario_id} already exists, in {suite.path(scenario_id)}; choose another slug"
        )
    path = suite.scenarios_root / f"{scenario_id}.yaml"
    path.parent.mkdir(exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            recorded = suite.needs_recordings
            has_product = suite.contracts[suite.contracts.default].recorded
            product = _RECORD_ADVICE.format(id=scenario_id) if has_product else ""
            text = _TEMPLATE.format(
                schema=_SCHEMA_LINE if suite.has_own("schema") else "",
                rule=_RULE_LINES if suite.has_own("rules.yaml") and suite.rules else "",
                about=_METADATA_LINES if recorded else "",
                file=f"{scenario_id.partition('/')[2]}.txt",  # so that all new scenarios are different
                end=(_END_IF_RECORDED if recorded else _END_BY_HAND).format(id=scenario_id, product=product),
            )
            file.write(text)
    except FileExistsError:
        raise TemplateError(f"{path} already exists; choose another slug") from None
    return path
