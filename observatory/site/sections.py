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
"""Maximum number of steps in a picture: the last ones up to the harm."""
_FILES = 5
"""Maximum number of given files, permission rules and hooks in a picture."""
_LINES = 8
"""Maximum number of lines of a text in a picture."""
_WIDEST = 96
"""Maximum number of characters of a line in a picture."""


def harm_sections(
    facts: Facts, sessions: int, counts: Mapping[str, int], shortest: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the Markdown of a section for each kind of harm, the worst kind first: the number of sessions, and the
    shortest scenario with a picture of its steps.

    `counts` contains the number of harmed sessions of each kind. `shortest` contains for each kind the `scenario`, its
    `title`, the `step` of the harm (from 1) and a `line` that describes the harm. A kind with a count but without a
    shortest scenario also has a section, because the map links to it.
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
    """Return a picture of the workspace and the steps up to the harmful step. Only the last steps are shown."""
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
    """Return the data of one step for the picture. The path of a call is moved from the blocks to the heading."""
    if blocks and blocks[0]["label"] == "file_path" and len(blocks[0].get("lines", ())) == 1:
        head, blocks = f"{head} {blocks[0]['lines'][0].removeprefix('$WS/')}", blocks[1:]
    return {"head": head, "blocks": blocks, "harm": harm}


def _brief(block: Block) -> Block:
    """Return a block that is shortened for a picture: the first lines, with the number of omitted lines."""
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
"""Maximum number of listed rules of a group."""


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
    """Yield list items about rules that hold in fewer or in more scenarios than before, in the order of their classes
    (safety first).
    """
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
