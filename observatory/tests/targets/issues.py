"""The texts of issues about committed results, for tests, and the errors that such a text can contain."""

import itertools
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.scenario import Scenario
from readfirst.observatory.report.compatibility import for_contract
from readfirst.observatory.survey.failure_evidence import load_evidence
from readfirst.observatory.survey.issue_report import HEADINGS, Report, issue_text
from readfirst.observatory.targets.catalogue import find
from tests.judging import SUITE

CHECKOUT = Path(__file__).resolve().parents[3]
DOCS = CHECKOUT / "docs"
assert SUITE.rules is not None
RULES: Rules = SUITE.rules
CONTRACT = SUITE.contracts[SUITE.contracts.default]
EVIDENCE = load_evidence(DOCS / "evidence.json")
TABLE: dict[str, Any] = for_contract(json.loads((DOCS / "compatibility.json").read_text()), CONTRACT.name)
RESULTS = {
    each["target"]: each for each in json.loads((DOCS / "implementations.json").read_text())["targets"]
}
MACHINE = re.compile(r"/(?:root|home|work|tmp|Users|opt|usr/local)/|readfirst-\w{8}/")


def broken_rules() -> list[tuple[str, str]]:
    return [
        (name, rule)
        for rule, fields in TABLE["rules"].items()
        for name, cell in fields["implementations"].items()
        if RULES[rule].class_ == "safety" and cell["holds"] in ("partly", "no")
    ]


@cache
def scenario_of(scenario_id: str) -> Scenario:
    return SUITE.scenario(scenario_id, CONTRACT)


@cache
def report_of(name: str, rule: str) -> Report:
    evidence = EVIDENCE[name][rule]
    cell = TABLE["rules"][rule]["implementations"][name]
    return Report(find(name), RULES[rule], scenario_of(evidence.scenario), evidence, cell, RESULTS[name])


@cache
def text_of(name: str, rule: str) -> str:
    return issue_text(report_of(name, rule), SUITE)


@cache
def parse_markdown(text: str) -> list[Token]:
    return MarkdownIt().parse(text)


def fences(text: str, language: str) -> list[str]:
    return [each.content for each in parse_markdown(text) if each.type == "fence" and each.info == language]


def problems(text: str) -> list[str]:
    """Return a message for each wrong heading, empty section, or path of this machine in an issue."""
    tokens = parse_markdown(text)
    titles = [
        (each.tag, following.content)
        for each, following in itertools.pairwise(tokens)
        if each.type == "heading_open"
    ]
    found = []
    if [tag for tag, _ in titles] != ["h1"] + ["h2"] * len(HEADINGS):
        found.append("it has other headings")
    if [title for _, title in titles[1:]] != list(HEADINGS):
        found.append("its parts are others")
    if re.search(r"^## .*\n+(?=## |\Z)", text, re.MULTILINE):
        found.append("a part is empty")
    # A fence that is not closed contains all following text, also the last heading.
    found += [
        f"{each.info or 'code'} is empty"
        for each in tokens
        if each.type == "fence" and not each.content.strip()
    ]
    found += [f"a path of this machine: {each[0]}" for each in MACHINE.finditer(text)]
    return found
