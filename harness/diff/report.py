"""Write the result of a comparison as text for a terminal, as Markdown, or as JSON."""

from collections import Counter
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

_JSON_FORMAT = 1
_MAX_SCENARIOS_NAMED = 3
"""Maximum number of scenarios that the output names for a cause."""
_MAX_COMPLETE_CAUSES = 20
"""Maximum number of causes that a page describes in full. If there are more, rare changes of words are only counted."""
MAX_DETAILED_CAUSES = 10
"""Maximum number of causes that are shown in detail on a terminal. If there are more, each cause has one line."""
_LACKS = "the adapter lacks "
_MAX_REASONS = 5
"""Maximum number of listed reasons why scenarios were not compared, and of missing capabilities in one reason."""
_MAX_RARE_SCENARIOS = 2
"""A change of words is rare if it occurs in at most this many scenarios."""

_TITLES = {
    "effects": "Effects: what is refused, and what happens to files",
    "reason": "Reasons: refused both times, for different reasons",
    "text": "Words",
}
_HARM = "Harm: done by only one of them"
_TOOLS = "What the model is given of the tools"


def as_text(diff: Diff, *, all_: bool = False) -> Iterator[str]:
    """Yield the lines of the report for a terminal. `!` marks causes that put a file at risk. Without `all_`, only the
    first MAX_DETAILED_CAUSES causes are listed; if there are more, each has one line.
    """
    yield f"{visible(diff.before)} → {visible(diff.after)}: {_summary(diff)}"
    shown = diff.causes if all_ else diff.causes[:MAX_DETAILED_CAUSES]
    in_full = len(shown) == len(diff.causes)
    if diff.harm:
        yield from ("", _HARM)
        lines = _harm_lines(diff, all_) if in_full else _harm_summary_lines(diff)
        yield from (f"{'!' if newly else '-'} {line}" for line, newly in lines)
    for level, title in _TITLES.items():
        causes = [cause for cause in shown if cause.level == level]
        if causes:
            yield from ("", title)
        for cause in causes:
            old, new = example_texts(cause)
            mark, count = "!" if cause.safety else "-", _count_scenarios(cause)
            yield f"{mark} {headline(cause)}  [{count}{_format_versions(cause)}]"
            if not in_full:
                continue
            if (old, new) != ("(nothing)", "(nothing)"):
                yield f"    - {old}"
                yield f"    + {new}"
            yield f"    {_list_scenarios(cause.scenario_ids, all_)}"
    if diff.tools and in_full:
        yield from ("", _TOOLS)
        yield from (f"- {visible(line)}" for line in diff.tools)
    rest = [*_final_lines(diff, (), all_)]
    if not in_full:
        tools = f", and {pluralize(len(diff.tools), 'difference')} in what the model is given of the tools"
        more = f"{len(diff.causes) - MAX_DETAILED_CAUSES} more causes{tools if diff.tools else ''}"
        rest.insert(0, f"{more}: --all shows them, with the words of both sides and the scenarios")
    yield from ("", *rest) if rest else ()


def as_markdown(diff: Diff, *, all_: bool = False) -> str:
    """Return the report as a Markdown page that looks like a changelog. With `all_`, no cause is omitted."""
    from readfirst.harness.report.markdown_escape import document

    return document(_page_blocks(diff, all_))


def _page_blocks(diff: Diff, all_: bool) -> Iterator[str]:
    from readfirst.harness.report.markdown_escape import bullets, prose

    yield f"# {prose(visible(diff.before))} → {prose(visible(diff.after))}"
    yield f"{_summary(diff)[0].upper()}{_summary(diff)[1:]}."
    if diff.harm:
        yield f"## {_HARM}"
        yield bullets(prose(line) for line, _ in _harm_lines(diff, all_))
    is_complete = all_ or len(diff.causes) <= _MAX_COMPLETE_CAUSES
    texts = [] if is_complete else [cause for cause in diff.causes if cause.level == "text"]
    rare = [cause for cause in texts if len(cause.scenario_ids) <= _MAX_RARE_SCENARIOS]
    shown = [cause for cause in diff.causes if cause not in rare]
    for level, title in _TITLES.items():
        if causes := [cause for cause in shown if cause.level == level]:
            yield f"## {title}"
            yield bullets(_format_cause(cause, all_) for cause in causes)
    if diff.tools:
        yield f"## {_TOOLS}"
        yield bullets(prose(visible(line)) for line in diff.tools)
    if rest := list(_final_lines(diff, rare, all_)):
        yield "\n".join(f"{prose(line[0].upper() + line[1:])}." for line in rest)


def _format_cause(cause: Cause, all_: bool) -> str:
    """Return a cause as an item of a Markdown list, with the texts of both sides and the scenarios below it."""
    from readfirst.harness.report.markdown_escape import code, prose

    old, new = example_texts(cause)
    mark = "**safety** " if cause.safety else ""
    lines = [f"{mark}{prose(headline(cause))} ({_count_scenarios(cause)}{_format_versions(cause)})"]
    if (old, new) != ("(nothing)", "(nothing)"):
        lines += [f"before: {code(old, escaped=True)}", f"after: {code(new, escaped=True)}"]
    names = cause.scenario_ids if all_ else cause.scenario_ids[:_MAX_SCENARIOS_NAMED]
    more = len(cause.scenario_ids) - len(names)
    return "\n  - ".join([*lines, f"{', '.join(map(code, names))}{f' and {more} more' if more else ''}"])


def as_json(diff: Diff) -> str:
    """Return all data of the comparison as JSON. fixtures/schema/diff.schema.json describes the format."""
    document = {
        "format": _JSON_FORMAT,
        "before": diff.before,
        "after": diff.after,
        "compared": diff.compared,
        "differing": sorted(diff.differing),
        "error": diff.error,
        "left_out": dict(sorted(diff.left_out.items())),
        "harm": [asdict(change) for change in diff.harm],
        "causes": [
            {
                "headline": headline(cause),
                "level": cause.level,
                "kind": cause.signature.kind,
                "tools": cause.tools,
                "safety": cause.safety,
                "since": cause.since,
                "variants": [
                    dict(zip(("before", "after", "count"), variant, strict=True))
                    for variant in cause.variants
                ],
                "scenarios": cause.scenario_ids,
                "occurrences": [_occurrence_as_json(occurrence) for occurrence in cause.occurrences],
            }
            for cause in diff.causes
        ],
        "consequences": [_occurrence_as_json(occurrence) for occurrence in diff.consequences],
        "tools": diff.tools,
    }
    return f"{harmless_json(document, indent=1)}\n"


def _harm_lines(diff: Diff, all_: bool) -> Iterator[tuple[str, bool]]:
    """Yield a text for each kind of harm that is new or gone, with a flag: true if the harm is new."""
    for change in diff.harm:
        for names, word in ((change.newly, "newly"), (change.no_longer, "no longer")):
            if names:
                count = pluralize(len(names), "scenario")
                yield f"{change.kind}, {word}: {_list_scenarios(names, all_)}  [{count}]", word == "newly"


def _harm_summary_lines(diff: Diff) -> Iterator[tuple[str, bool]]:
    """Yield a short text for each kind of harm that is new or gone, and whether it is new in any scenario."""
    for change in diff.harm:
        sides = ((change.newly, "newly"), (change.no_longer, "no longer"))
        counts = [f"{word} in {pluralize(len(names), 'scenario')}" for names, word in sides if names]
        yield f"{change.kind}: {', '.join(counts)}", bool(change.newly)


def _occurrence_as_json(occurrence: Occurrence) -> dict[str, Any]:
    """Return the JSON value of a difference. Steps and calls count from 1. `call` is None for a parallel group."""
    step, call = occurrence.place
    return {
        "scenario": occurrence.scenario_id,
        "step": step + 1,
        "call": None if call is None else call + 1,
        "tool": occurrence.tool,
        "level": occurrence.change.level,
        "before": occurrence.change.words_before,
        "after": occurrence.change.words_after,
    }


def _summary(diff: Diff) -> str:
    if not diff.causes:
        return f"no difference in {pluralize(diff.compared, 'scenario')}"
    causes = "1 cause" if len(diff.causes) == 1 else f"{len(diff.causes)} causes"
    differ = "differs" if len(diff.differing) == 1 else "differ"
    return f"{len(diff.differing):,} of {pluralize(diff.compared, 'scenario')} {differ}, {causes}"


def _final_lines(diff: Diff, rare: Sequence[Cause], all_: bool) -> Iterator[str]:
    if rare:
        yield f"{len(rare)} more changes of words that one or two scenarios show (--all lists them)"
    if diff.consequences:
        count = len(diff.consequences)
        follow = "difference is a consequence" if count == 1 else "differences are consequences"
        yield f"{count} further {follow} of these (--format json lists them)"
    counts = Counter({why: len(names) for why, names in diff.left_out.items()})
    lacking = {why: count for why, count in counts.items() if why.startswith(_LACKS)}
    if not all_ and len(counts) > _MAX_REASONS and len(lacking) > 1:
        needed = Counter[str]()
        for why, count in lacking.items():
            needed.update(dict.fromkeys(why.removeprefix(_LACKS).split(", "), count))
            del counts[why]
        names = [f"{name} ({count:,})" for name, count in needed.most_common(_MAX_REASONS)]
        more = f" and {len(needed) - len(names)} more" if len(needed) > len(names) else ""
        counts[f"{_LACKS}{', '.join(names)}{more}"] = sum(lacking.values())
    reasons = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = reasons if all_ or len(reasons) <= _MAX_REASONS + 1 else reasons[:_MAX_REASONS]
    for why, count in shown:
        yield f"not compared: {pluralize(count, 'scenario')}, because {visible(why)}"
    if rest := counts.total() - sum(count for _, count in shown):
        yield f"not compared: {pluralize(rest, 'scenario')}, for other reasons (--all lists them)"


def _count_scenarios(cause: Cause) -> str:
    return pluralize(len(cause.scenario_ids), "scenario")


def _format_versions(cause: Cause) -> str:
    return "".join(
        f", between {version.replace(' to ', ' and ')}" if " to " in version else f", in {version}"
        for version in cause.since
    )


def _list_scenarios(names: Sequence[str], all_: bool) -> str:
    if all_ or len(names) <= _MAX_SCENARIOS_NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_MAX_SCENARIOS_NAMED])} and {len(names) - _MAX_SCENARIOS_NAMED} more"


_MAX_NAMES = 3
_MAX_HEADLINE_TEXT_CHARS = 60
"""Maximum length of the text of each side in a headline, in characters."""
_MAX_EXCERPT_CHARS = 150
"""Maximum length of the text of each side below a headline, in characters."""


def headline(cause: Cause) -> str:
    """Return a description of a cause in one line: the names of the tools, then `before → after`."""
    return f"{', '.join(cause.tools)}: {_describe_change(cause)}"


def _describe_change(cause: Cause) -> str:
    subject = cause.signature.subject
    before, after, _ = cause.variants[0]
    match cause.signature.kind:
        case "refusal" | "reason" if subject.endswith(" gone"):
            return f"{_escape_name(before)} → {_list_names([variant[1] for variant in cause.variants])}"
        case "refusal" | "reason":
            return f"{_list_names([variant[0] for variant in cause.variants])} → {_escape_name(after)}"
        case "file" if subject == "content":
            return "different content is written"
        case "file" if subject != "whether it changes":
            sides = f": {_escape_name(before)} → {_escape_name(after)}" if before or after else ""
            return f"{_escape_name(subject)} of what is written{sides}"
        case "file" | "path":
            return f"{_escape_name(before)} → {_escape_name(after)}"
        case "mode":
            return f"mode: {_escape_name(before)} → {_escape_name(after)}"
        case "prefix":
            return f"number of a line: {_quote_text(before)} → {_quote_text(after)}"
        case "content" if subject == "content":
            return "shows other content"
        case "content":
            return f"shows different content: {_escape_name(subject)}"
        case "refusal words":
            ways = f" ({len(cause.variants)} ways)" if len(cause.variants) > 1 else ""
            return f"refused ({_escape_name(subject)}) in other words{ways}"
        case "detail" if subject == WHITESPACE:
            return f"says the same with different {subject}"
        case "detail":
            return f"different details: {_escape_name(subject)}"
        case _:
            old, _, new = subject.partition(" → ")
            return f"says {_quote_text(old)} → {_quote_text(new)}"


def _list_names(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(map(_escape_name, names)))
    if len(distinct) > _MAX_NAMES + 1:
        return f"{', '.join(distinct[:_MAX_NAMES])} and {len(distinct) - _MAX_NAMES} others"
    return ", ".join(distinct)


def _escape_name(text: str) -> str:
    """Escape and shorten a name, because some names are parts of an implementation's answers."""
    name = visible(text)
    is_short = len(name) <= _MAX_HEADLINE_TEXT_CHARS
    return name if is_short else f"{name[: _MAX_HEADLINE_TEXT_CHARS - 1].rstrip()}…"


def _quote_text(text: str) -> str:
    if text in ("nothing", ""):
        return "nothing"
    return "lines of a file" if text == "LINES" else f"“{_escape_name(text)}”"


def example_texts(cause: Cause) -> tuple[str, str]:
    """Return an excerpt of each side's text in the example of a cause, in one line, around the first difference."""
    before, after = cause.example.change.words_before, cause.example.change.words_after
    position = first_difference(before, after) or 0
    start = 0 if position < _MAX_EXCERPT_CHARS // 2 else position - _MAX_EXCERPT_CHARS // 4
    return _excerpt_from(before, start), _excerpt_from(after, start)


def _excerpt_from(text: str, start: int) -> str:
    end = start + _MAX_EXCERPT_CHARS
    before, after = "…" if start and text else "", "…" if len(text) > end else ""
    return f"{before}{visible(text[start:end])}{after}" or "(nothing)"
