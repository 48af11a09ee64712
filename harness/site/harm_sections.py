"""Harm sections: of each kind of harm in how many sessions it was done, and the shortest as a picture of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readfirst.harness.counted import counted
from readfirst.harness.printed import one_line
from readfirst.harness.report.html import macro
from readfirst.harness.report.markup import code, prose, scenario_link
from readfirst.harness.report.timeline import Block, given_blocks, steps_of
from readfirst.harness.site.facts import Facts
from readfirst.harness.suite.harm_kinds import BESIDE, KINDS, MEANING
from readfirst.harness.suite.scenario import Scenario

_STEPS = 5
"""Steps that a picture shows, the last of them."""
_FILES = 5
"""Given files, rules and hooks that it shows."""
_LINES = 8
"""Lines of a text that a picture shows."""
_WIDEST = 96
"""Characters of a line that it shows."""


def harm_sections(
    facts: Facts, sessions: int, counts: Mapping[str, int], shortest: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a section for each kind, the worst first. `shortest` has the `scenario`, the `step` from 1 and a `line`."""
    shown = [kind for kind in KINDS if counts.get(kind) and kind in shortest]
    if not any(kind not in BESIDE for kind in shown):
        yield f"Nothing was harmed in the {sessions:,} sessions that were tried."
        yield ""
    for kind in shown:
        each = shortest[kind]
        yield f"### {kind}"
        yield ""
        beside = " This is no harm, and counted beside it." if kind in BESIDE else ""
        yield f"In {counts[kind]:,} of {sessions:,} sessions: {prose(MEANING[kind])}.{beside} The shortest is"
        yield f"{scenario_link(each['scenario'], code(each['scenario']))}: {prose(each['title'])}."
        yield ""
        yield _picture(facts.suite.scenario(each["scenario"]), each["step"], each["line"])
        yield ""


def _picture(scenario: Scenario, harmed: int, line: str) -> str:
    """Return the steps up to the one that harmed; of many the last ones."""
    given = [_brief(each) for each in given_blocks(scenario)]
    steps = [_step("The workspace" if given else "An empty workspace", given[:_FILES])]
    if len(given) > _FILES:
        steps.append(_step(f"and {counted(len(given) - _FILES, 'more file')}", []))
    if harmed > _STEPS:
        steps.append(_step(f"{counted(harmed - _STEPS, 'step')} before", []))
    for number, step in enumerate(steps_of(scenario)[:harmed], 1):
        if number > harmed - _STEPS:
            calls = step.get("calls")
            blocks = (
                step["blocks"] if calls is None else [block for call in calls for block in call["blocks"]]
            )
            told = one_line(line) if number == harmed else ""
            steps.append(_step(step["head"], [_brief(each) for each in blocks], told))
    return macro("maps.html.j2", "step_picture", steps)


def _step(head: str, blocks: Sequence[Block], harm: str = "") -> dict[str, Any]:
    """Return a step; a call stands before the file that it is about."""
    if blocks and blocks[0]["label"] == "file_path" and len(blocks[0].get("lines", ())) == 1:
        head, blocks = f"{head} {blocks[0]['lines'][0].removeprefix('$WS/')}", blocks[1:]
    return {"head": head, "blocks": blocks, "harm": harm}


def _brief(block: Block) -> Block:
    """Return a block with no more than what a picture has room for."""
    short = {name: _cut(each) if name != "lines" else each for name, each in block.items() if name != "more"}
    lines = block.get("lines")
    if lines is not None:
        short["lines"] = [_cut(each) for each in lines[:_LINES]]
    more = block.get("more", 0) + max(0, len(lines or ()) - _LINES)
    if short.get("lines") == [""]:
        return {"label": short["label"], "value": "(empty)"}
    return {**short, "more": more} if more else short


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"
