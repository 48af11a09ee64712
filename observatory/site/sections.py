"""Sections of a page: kinds of harm, pictures of steps, and changes for users."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.html import macro
from readfirst.harness.report.markdown_escape import code, link, prose, scenario_link
from readfirst.harness.report.timeline import Block, given_blocks, steps_of
from readfirst.harness.suite.harm_kinds import BESIDE, KINDS, MEANING
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.terminal import one_line
from readfirst.observatory.report.harm_heatmap import percent
from readfirst.observatory.report.rule_diff import RuleChange
from readfirst.observatory.site.site_data import Facts

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
    """Yield a section for each kind, the worst first. `shortest` has the `scenario`, the `step` from 1 and a `line`.

    A kind that was counted has its section also where nothing is known of the shortest: the map leads to it.
    """
    shown = [kind for kind in KINDS if counts.get(kind)]
    if not any(kind not in BESIDE for kind in shown):
        yield f"Nothing was harmed in the {sessions:,} sessions that were tried."
    for kind in shown:
        yield f"### {kind}"
        beside = " This is not harm, and counted apart from it." if kind in BESIDE else ""
        summary = f"In {counts[kind]:,} of {sessions:,} sessions: {prose(MEANING[kind])}.{beside}"
        if kind not in shortest:
            yield summary
            continue
        each = shortest[kind]
        yield (
            f"{summary} The shortest is\n"
            f"{scenario_link(each['scenario'], code(each['scenario']))}: {prose(each['title'])}."
        )
        yield _picture(facts.suite.scenario(each["scenario"]), each["step"], each["line"])


def _picture(scenario: Scenario, harmed: int, line: str) -> str:
    """Return the steps up to the harmful one. Of many steps only the last ones."""
    given = [_brief(each) for each in given_blocks(scenario)]
    steps = [_step("The workspace" if given else "An empty workspace", given[:_FILES])]
    if len(given) > _FILES:
        steps.append(_step(f"and {pluralize(len(given) - _FILES, 'more file')}", []))
    if harmed > _STEPS:
        steps.append(_step(f"{pluralize(harmed - _STEPS, 'step')} before", []))
    for number, step in enumerate(steps_of(scenario)[:harmed], 1):
        if number > harmed - _STEPS:
            calls = step.get("calls")
            blocks = (
                step["blocks"] if calls is None else [block for call in calls for block in call["blocks"]]
            )
            harm = one_line(line) if number == harmed else ""
            steps.append(_step(step["head"], [_brief(each) for each in blocks], harm))
    return macro("maps.html.j2", "step_picture", steps)


def _step(head: str, blocks: Sequence[Block], harm: str = "") -> dict[str, Any]:
    """Return a step; a call comes before the file that it is about."""
    if blocks and blocks[0]["label"] == "file_path" and len(blocks[0].get("lines", ())) == 1:
        head, blocks = f"{head} {blocks[0]['lines'][0].removeprefix('$WS/')}", blocks[1:]
    return {"head": head, "blocks": blocks, "harm": harm}


def _brief(block: Block) -> Block:
    """Return the beginning of a block that fits into a picture."""
    short = {
        name: _shorten_text(each) if name != "lines" else each
        for name, each in block.items()
        if name != "more"
    }
    lines = block.get("lines")
    if lines is not None:
        short["lines"] = [_shorten_text(each) for each in lines[:_LINES]]
    more = block.get("more", 0) + max(0, len(lines or ()) - _LINES)
    if short.get("lines") == [""]:
        return {"label": short["label"], "value": "(empty)"}
    return {**short, "more": more} if more else short


def _shorten_text(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


_SHOWN = 12
"""Rules of a group that are named."""


def harm_changes(since: Mapping[str, Any]) -> Iterator[str]:
    """Yield list items about kinds of harm that occur more often or less often than before, from harm.json."""
    sessions, (before, after) = since["sessions"], since["any"]
    was, now = (percent(part, sessions) for part in (before, after)) if sessions else ("", "")
    if was != now:
        verb = "more" if after > before else "less"
        both = f"{sessions:,} sessions that both were put through"
        yield f"It harms {verb} often: in {now} of the {both}, before in {was}."
    changes = [f"{kind} {was:,} → {now:,}" for kind, (was, now) in since["counts"].items() if was != now]
    if changes:
        yield f"By kind, in numbers of these sessions: {', '.join(changes)}."


def changed_rules(changes: Sequence[RuleChange]) -> Iterator[str]:
    """Yield list items about rules with a different result, the rules that prevent lost work first."""
    ordered = sorted(changes, key=lambda each: (CLASSES.index(each.class_), each.rule))
    groups = (
        (
            "Rules that it keeps in fewer cases than before, or not at all",
            [each for each in ordered if each.worse],
        ),
        ("Rules that it keeps in more cases than before", [each for each in ordered if each.better]),
    )
    for words, group in groups:
        lines = [f"{words}:"]
        for each in group[:_SHOWN]:
            title = link(prose(each.title), f"../rules/{each.rule}.md")
            was, now = each.holding
            lines.append(f"{title}: {was} of {pluralize(each.judged, 'scenario')} before, {now} now")
        if len(group) > _SHOWN:
            lines.append(f"{len(group) - _SHOWN} other rules, which weigh less")
        if group:
            yield "\n    - ".join(lines)
    if not any(group for _, group in groups):
        yield "It keeps every rule as before."
