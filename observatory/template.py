"""Render the observatory's pages and pictures from templates, and link to other pages and to scenarios."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.markdown_escape import bullets, code, fence_code, link, prose, table
from readfirst.harness.suite.harm_kinds import KINDS
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.scenario_index import ScenarioIndex
from readfirst.harness.suite.suite import default_root

if TYPE_CHECKING:
    import jinja2

_FOLDER = Path(__file__).with_name("templates")
_CONTINUATION_PATTERN = re.compile(r"\n +(?=[^\s<])")
"""Matches the line break before an indented line, unless the line starts with an HTML element."""


def template(name: str) -> str:
    """Return the path of a template or a style sheet of the observatory. Used by the functions that render pages."""
    return str(_FOLDER / name)


def page_link(name: str, folder: str = "", shown: str = "") -> str:
    """Return a link to a page in the directory `folder/`. `shown` is the text of the link, in Markdown."""
    return link(shown or name, f"{folder}{name}.md")


def scenario_link(scenario_id: str, shown: str = "") -> str:
    """Return a link to a scenario's file, from docs/ or a directory next to it. `shown` is the text, in Markdown."""
    location = _scenario_index().find(scenario_id)
    # For a deleted scenario, the file that it would have.
    file = _scenario_index().file_of(scenario_id) if location is None else location.file
    path = file.relative_to(_scenario_index().root).as_posix()
    return link(shown or prose(scenario_id), f"../fixtures/{path}")


def scenario_code(scenario_id: str) -> str:
    """Return a link to the file of a scenario. The text of the link is the scenario's id, as code."""
    return scenario_link(scenario_id, code(scenario_id))


@cache
def _scenario_index() -> ScenarioIndex:
    return ScenarioIndex(default_root())


def anchor(title: str) -> str:
    """Return the anchor of the heading with this title, such as `a-new-release`. GitHub generates the same anchor."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def macro(template: str, name: str, *values: Any) -> str:
    """Call a macro of an HTML template with these values, and return the HTML that it renders."""
    from readfirst.harness.report.html import TEMPLATE_ENVIRONMENT

    result: str = getattr(TEMPLATE_ENVIRONMENT.get_template(template).module, name)(*values)
    return str(result)


def markdown(template: str, **values: Any) -> str:
    """Render a template as Markdown. An indented line of the template is joined to the line before."""
    rendered_page: str = _environment().get_template(f"{template}.md.j2").render(values)
    return rendered_page


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # only pages need it

    templates = jinja2.Environment(
        loader=jinja2.FunctionLoader(
            lambda name: _CONTINUATION_PATTERN.sub(" ", Path(name).read_text("utf-8"))
        ),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    templates.filters |= {
        function.__name__: function
        for function in (bullets, code, pluralize, link, page_link, prose, scenario_code)
    }
    templates.filters |= {
        "fenced": lambda text, language: fence_code(language, text),
        "thousands": "{:,}".format,
    }
    templates.globals |= {"CLASSES": CLASSES, "KINDS": KINDS, "table": table}
    return templates
