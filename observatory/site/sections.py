"""Write sections of pages: one for each kind of harm, with a picture of the steps, and lists of changes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.markdown_escape import code, link, prose
from readfirst.harness.report.timeline import Block, given_blocks, steps_of
from readfirst.harness.suite.harm_kinds import KINDS, MEANING, NON_HARM_KINDS
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.terminal import one_line
from readfirst.observatory.report.harm_heatmap import percent
from readfirst.observatory.report.rule_diff import RuleChange
from readfirst.observatory.site.site_data import SiteData
from readfirst.observatory.template import macro, scenario_link

_MAX_STEPS = 5
"""Maximum number of steps that a picture of a harmful scenario shows. Earlier steps are omitted."""
_MAX_FILES = 5
"""Maximum number of files, permission rules and hooks of the workspace that a picture of a harmful scenario shows."""
_MAX_LINES = 8
"""Maximum number of lines of a text that a picture of a harmful scenario shows."""
_MAX_LINE_CHARS = 96
"""Maximum length of a line in a picture of a harmful scenario, in characters."""


def harm_sections(
    data: SiteData, sessions: int, counts: Mapping[str, int], shortest: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a section for each kind of harm, worst first, with a picture of its `shortest` scenario. `counts` contains
    the number of harmed scenarios for each kind, of `sessions` in total.
    """
    shown = [kind for kind in KINDS if counts.get(kind)]
    if not any(kind not in NON_HARM_KINDS for kind in shown):
        yield f"Nothing was harmed in the {sessions:,} sessions that were tried."
    for kind in shown:
        yield f"### {kind}"
        beside = " This is not harm, and counted apart from it." if kind in NON_HARM_KINDS else ""
        summary = f"In {counts[kind]:,} of {sessions:,} sessions: {prose(MEANING[kind])}.{beside}"
        if kind not in shortest:
            yield summary
            continue
        each = shortest[kind]
        yield (
            f"{summary} The shortest is\n"
            f"{scenario_link(each['scenario'], code(each['scenario']))}: {prose(each['title'])}."
        )
        yield _steps_picture(data.suite.scenario(each["scenario"]), each["step"], each["line"])


def _steps_picture(scenario: Scenario, harmed: int, line: str) -> str:
    """Return a picture of the workspace and the last steps up to step `harmed` (from 1). `line` describes the harm."""
    given = [_shorten_block(each) for each in given_blocks(scenario)]
    steps = [_step_values("The workspace" if given else "An empty workspace", given[:_MAX_FILES])]
    if len(given) > _MAX_FILES:
        steps.append(_step_values(f"and {pluralize(len(given) - _MAX_FILES, 'more file')}", []))
    if harmed > _MAX_STEPS:
        steps.append(_step_values(f"{pluralize(harmed - _MAX_STEPS, 'step')} before", []))
    for number, step in enumerate(steps_of(scenario)[:harmed], 1):
        if number > harmed - _MAX_STEPS:
            calls = step.get("calls")
            blocks = (
                step["blocks"] if calls is None else [block for call in calls for block in call["blocks"]]
            )
            harm = one_line(line) if number == harmed else ""
            steps.append(_step_values(step["head"], [_shorten_block(each) for each in blocks], harm))
    return macro("maps.html.j2", "step_picture", steps)


def _step_values(head: str, blocks: Sequence[Block], harm: str = "") -> dict[str, Any]:
    """Return the template's values for a step with the heading `head`. The heading includes the first block's path."""
    if blocks and blocks[0]["label"] == "file_path" and len(blocks[0].get("lines", ())) == 1:
        head, blocks = f"{head} {blocks[0]['lines'][0].removeprefix('$WS/')}", blocks[1:]
    return {"head": head, "blocks": blocks, "harm": harm}


def _shorten_block(block: Block) -> Block:
    """Return a block, such as a file or an argument, cut to its first lines, with the number of omitted lines."""
    short = {
        name: _shorten_text(each) if name != "lines" else each
        for name, each in block.items()
        if name != "more"
    }
    lines = block.get("lines")
    if lines is not None:
        short["lines"] = [_shorten_text(each) for each in lines[:_MAX_LINES]]
    more = block.get("more", 0) + max(0, len(lines or ()) - _MAX_LINES)
    if short.get("lines") == [""]:
        return {"label": short["label"], "value": "(empty)"}
    return {**short, "more": more} if more else short


def _shorten_text(text: str) -> str:
    return text if len(text) <= _MAX_LINE_CHARS else f"{text[:_MAX_LINE_CHARS]}…"


_MAX_RULES = 12
"""Maximum length of each of two lists: the rules that hold in fewer scenarios, and the rules that hold in more."""


def harm_changes(since: Mapping[str, Any]) -> Iterator[str]:
    """Yield list items about harm that is more or less frequent than in the previous version (comparison `since`)."""
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
    """Yield list items about rules that hold in fewer or in more scenarios than before. Safety rules are first."""
    ordered = sorted(changes, key=lambda each: (CLASSES.index(each.class_), each.rule))
    groups = (
        (
            "Rules that it keeps in fewer cases than before, or not at all",
            [each for each in ordered if each.gain < 0],
        ),
        ("Rules that it keeps in more cases than before", [each for each in ordered if each.gain > 0]),
    )
    for words, group in groups:
        lines = [f"{words}:"]
        for each in group[:_MAX_RULES]:
            title = link(prose(each.title), f"../rules/{each.rule}.md")
            was, now = each.holding
            lines.append(f"{title}: {was} of {pluralize(each.judged, 'scenario')} before, {now} now")
        if len(group) > _MAX_RULES:
            lines.append(f"{len(group) - _MAX_RULES} other rules, which weigh less")
        if group:
            yield "\n    - ".join(lines)
    if not any(group for _, group in groups):
        yield "It keeps every rule as before."
