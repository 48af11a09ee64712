"""Report: a comparison as text for a terminal, as Markdown, and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from readfirst.harness.diff.cause import Cause
from readfirst.harness.diff.diff import Diff
from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.normalize_text import WHITESPACE
from readfirst.harness.first_difference import first_difference
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import visible
from readfirst.harness.terminal import harmless_json

_FORMAT = 1
_FEW = 3
"""Scenarios of a cause that are named."""
_SHORT_LIST = 20
"""With more causes than this, a page only counts changes of words that few scenarios show."""
SHOWN = 10
"""With more causes than this a terminal gets so many, a line each."""
_RARE = 2

_TITLES = {
    "effects": "Effects: what is refused, and what happens to files",
    "reason": "Reasons: refused both times, for different reasons",
    "text": "Words",
}
_HARM = "Harm: done by only one of them"
_TOOLS = "What the model is given of the tools"


def as_text(diff: Diff, *, all_: bool = False) -> Iterator[str]:
    """Yield the lines for a terminal; `!` marks what a file's safety depends on.

    Many causes are shown in ten lines, unless all are asked for; few with the words of both sides.
    """
    yield f"{visible(diff.before)} → {visible(diff.after)}: {_sum(diff)}"
    shown = diff.causes if all_ else diff.causes[:SHOWN]
    in_full = len(shown) == len(diff.causes)
    if diff.harm:
        yield from ("", _HARM)
        lines = _harm(diff, all_) if in_full else _harm_in_short(diff)
        yield from (f"{'!' if newly else '-'} {line}" for line, newly in lines)
    for level, title in _TITLES.items():
        here = [cause for cause in shown if cause.level == level]
        if here:
            yield from ("", title)
        for cause in here:
            old, new = words(cause)
            yield f"{'!' if cause.safety else '-'} {headline(cause)}  [{_count(cause)}{_since(cause)}]"
            if not in_full:
                continue
            if (old, new) != ("(nothing)", "(nothing)"):
                yield f"    - {old}"
                yield f"    + {new}"
            yield f"    {_names(cause.scenario_ids, all_)}"
    if diff.tools and in_full:
        yield from ("", _TOOLS)
        yield from (f"- {visible(line)}" for line in diff.tools)
    rest = [*_rest(diff, ())]
    if not in_full:
        tools = f", and {pluralize(len(diff.tools), 'difference')} in what the model is given of the tools"
        more = f"{len(diff.causes) - SHOWN} more causes{tools if diff.tools else ''}"
        rest.insert(0, f"{more}: --all shows them, with the words of both sides and the scenarios")
    yield from ("", *rest) if rest else ()


def as_markdown(diff: Diff, *, all_: bool = False) -> str:
    """Return a page, in the manner of a changelog."""
    from readfirst.harness.report.markdown_escape import document

    return document(_blocks(diff, all_))


def _blocks(diff: Diff, all_: bool) -> Iterator[str]:
    from readfirst.harness.report.markdown_escape import bullets, prose

    yield f"# {prose(visible(diff.before))} → {prose(visible(diff.after))}"
    yield f"{_sum(diff)[0].upper()}{_sum(diff)[1:]}."
    if diff.harm:
        yield f"## {_HARM}"
        yield bullets(prose(line) for line, _ in _harm(diff, all_))
    few = all_ or len(diff.causes) <= _SHORT_LIST
    rare = [each for each in diff.causes if each.level == "text" and len(each.scenario_ids) <= _RARE]
    rare = [] if few else rare
    shown = [cause for cause in diff.causes if cause not in rare]
    for level, title in _TITLES.items():
        if here := [cause for cause in shown if cause.level == level]:
            yield f"## {title}"
            yield bullets(_item(cause, all_) for cause in here)
    if diff.tools:
        yield f"## {_TOOLS}"
        yield bullets(prose(visible(line)) for line in diff.tools)
    if rest := list(_rest(diff, rare)):
        yield "\n".join(f"{prose(line[0].upper() + line[1:])}." for line in rest)


def _item(cause: Cause, all_: bool) -> str:
    """Return a cause as an item of a list, with the words of both sides and the scenarios below it."""
    from readfirst.harness.report.markdown_escape import code, prose

    old, new = words(cause)
    mark = "**safety** " if cause.safety else ""
    lines = [f"{mark}{prose(headline(cause))} ({_count(cause)}{_since(cause)})"]
    if (old, new) != ("(nothing)", "(nothing)"):
        lines += [f"before: {code(old, escaped=True)}", f"after: {code(new, escaped=True)}"]
    names = cause.scenario_ids if all_ else cause.scenario_ids[:_FEW]
    more = len(cause.scenario_ids) - len(names)
    return "\n  - ".join([*lines, f"{', '.join(map(code, names))}{f' and {more} more' if more else ''}"])


def as_json(diff: Diff) -> str:
    """Return one JSON document with everything, described by fixtures/schema/diff.schema.json."""
    document = {
        "format": _FORMAT,
        "before": diff.before,
        "after": diff.after,
        "compared": diff.compared,
        "differing": sorted(diff.differing),
        "broken": diff.broken,
        "left_out": dict(sorted(diff.left_out.items())),
        "harm": [asdict(each) for each in diff.harm],
        "causes": [
            {
                "headline": headline(cause),
                "level": cause.level,
                "kind": cause.signature.kind,
                "tools": cause.tools,
                "safety": cause.safety,
                "since": cause.since,
                "variants": [
                    dict(zip(("before", "after", "count"), each, strict=True)) for each in cause.variants
                ],
                "scenarios": cause.scenario_ids,
                "occurrences": [_occurrence(each) for each in cause.occurrences],
            }
            for cause in diff.causes
        ],
        "consequences": [_occurrence(each) for each in diff.consequences],
        "tools": diff.tools,
    }
    return f"{harmless_json(document, indent=1)}\n"


def _harm(diff: Diff, all_: bool) -> Iterator[tuple[str, bool]]:
    """Yield a line for each kind that is new or gone, and whether it is new."""
    for each in diff.harm:
        for names, word in ((each.newly, "newly"), (each.no_longer, "no longer")):
            if names:
                count = pluralize(len(names), "scenario")
                yield f"{each.kind}, {word}: {_names(names, all_)}  [{count}]", word == "newly"


def _harm_in_short(diff: Diff) -> Iterator[tuple[str, bool]]:
    """Yield one line for each kind, and whether it is new anywhere."""
    for each in diff.harm:
        sides = ((each.newly, "newly"), (each.no_longer, "no longer"))
        where = [f"{word} in {pluralize(len(names), 'scenario')}" for names, word in sides if names]
        yield f"{each.kind}: {', '.join(where)}", bool(each.newly)


def _occurrence(each: Occurrence) -> dict[str, Any]:
    """Return one occurrence; steps and calls count from 1, and all of a group has no call."""
    step, call = each.place
    return {
        "scenario": each.scenario_id,
        "step": step + 1,
        "call": None if call is None else call + 1,
        "tool": each.tool,
        "level": each.change.level,
        "before": each.change.words_before,
        "after": each.change.words_after,
    }


def _sum(diff: Diff) -> str:
    if not diff.causes:
        return f"no difference in {pluralize(diff.compared, 'scenario')}"
    causes = "1 cause" if len(diff.causes) == 1 else f"{len(diff.causes)} causes"
    differ = "differs" if len(diff.differing) == 1 else "differ"
    return f"{len(diff.differing):,} of {pluralize(diff.compared, 'scenario')} {differ}, {causes}"


def _rest(diff: Diff, rare: Sequence[Cause]) -> Iterator[str]:
    if rare:
        yield f"{len(rare)} more changes of words that one or two scenarios show (--all lists them)"
    if diff.consequences:
        count = len(diff.consequences)
        follow = "difference is a consequence" if count == 1 else "differences are consequences"
        yield f"{count} further {follow} of these (--format json lists them)"
    for why, names in sorted(diff.left_out.items(), key=lambda item: (-len(item[1]), item[0])):
        yield f"not compared: {pluralize(len(names), 'scenario')}, because {visible(why)}"


def _count(cause: Cause) -> str:
    return pluralize(len(cause.scenario_ids), "scenario")


def _since(cause: Cause) -> str:
    return "".join(
        f", between {version.replace(' to ', ' and ')}" if " to " in version else f", in {version}"
        for version in cause.since
    )


def _names(names: Sequence[str], all_: bool) -> str:
    if all_ or len(names) <= _FEW + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"


_MOST_NAMES = 3
_SHORT = 60
"""Characters of a sentence in a headline."""
_LONG = 150
"""Characters of what a side said."""


def headline(cause: Cause) -> str:
    """Return the cause in one line: the tools, then `before → after`."""
    return f"{', '.join(cause.tools)}: {_what(cause)}"


def _what(cause: Cause) -> str:
    subject = cause.signature.subject
    before, after, _ = cause.variants[0]
    match cause.signature.kind:
        case "refusal" | "reason" if subject.endswith(" gone"):
            return f"{_named(before)} → {_several([variant[1] for variant in cause.variants])}"
        case "refusal" | "reason":
            return f"{_several([variant[0] for variant in cause.variants])} → {_named(after)}"
        case "file" if subject == "content":
            return "different content is written"
        case "file" if subject != "whether it changes":
            sides = f": {_named(before)} → {_named(after)}" if before or after else ""
            return f"{_named(subject)} of what is written{sides}"
        case "file" | "path":
            return f"{_named(before)} → {_named(after)}"
        case "mode":
            return f"mode: {_named(before)} → {_named(after)}"
        case "prefix":
            return f"number of a line: {_quoted(before)} → {_quoted(after)}"
        case "content" if subject == "content":
            return "shows other content"
        case "content":
            return f"shows different content: {_named(subject)}"
        case "refusal words":
            ways = f" ({len(cause.variants)} ways)" if len(cause.variants) > 1 else ""
            return f"refused ({_named(subject)}) in other words{ways}"
        case "detail" if subject == WHITESPACE:
            return f"says the same with different {subject}"
        case "detail":
            return f"different details: {_named(subject)}"
        case _:
            old, _, new = subject.partition(" → ")
            return f"says {_quoted(old)} → {_quoted(new)}"


def _several(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(map(_named, names)))
    if len(distinct) > _MOST_NAMES + 1:
        return f"{', '.join(distinct[:_MOST_NAMES])} and {len(distinct) - _MOST_NAMES} others"
    return ", ".join(distinct)


def _named(text: str) -> str:
    """Return what a side calls something, which of a run is whatever its answers say."""
    return _shortened(visible(text), _SHORT)


def _quoted(text: str) -> str:
    if text in ("nothing", ""):
        return "nothing"
    return "lines of a file" if text == "LINES" else f"“{_shortened(visible(text), _SHORT)}”"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def words(cause: Cause) -> tuple[str, str]:
    """Return what the two sides said or wrote in the cause's example: on one line, the part that differs."""
    before, after = cause.example.change.words_before, cause.example.change.words_after
    at = first_difference(before, after) or 0
    start = 0 if at < _LONG // 2 else at - _LONG // 4
    return _part(before, start), _part(after, start)


def _part(text: str, start: int) -> str:
    shown = visible(text[start : start + _LONG])
    return f"{'…' if start and text else ''}{shown}{'…' if len(text) > start + _LONG else ''}" or "(nothing)"
