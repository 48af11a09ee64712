"""Select the scenarios of a run by id, family, tag, requirement, rule, class and a `-k` expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readfirst.harness.errors import ReadfirstError

if TYPE_CHECKING:
    from readfirst.harness.suite.suite import Suite


class SelectionError(ReadfirstError):
    """The user selected an id, family or tag that does not exist, or the expression of `-k` is invalid."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The criteria that a user chose to select scenarios. All must match; an empty criterion matches every scenario."""

    ids: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    expression: str = ""
    """Words with `and`, `or`, `not` and parentheses. A word matches in the id or the title, ignoring case."""
    requirements: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    """Classes of the scenario's rule."""
    shard: tuple[int, int] = (1, 1)
    """The part of the selection to use: `(2, 4)` is the second of four parts."""


def select(suite: Suite, selection: Selection) -> list[str]:
    """Return the ids of the matching scenarios. Raises SelectionError (unknown id, family or tag), UnknownRuleError."""
    part, parts = selection.shard
    return _select_ids(suite, selection)[part - 1 :: parts]


def _select_ids(suite: Suite, selection: Selection) -> list[str]:
    ids = _resolve_names(selection.ids, suite) if selection.ids else suite.ids()
    if selection.families:
        families = sorted({name.partition("/")[0] for name in (suite.ids() if selection.ids else ids)})
        for family in selection.families:
            if family not in families:
                raise SelectionError(f"no family is called {family!r}.{_suggest(family, families)}")
        ids = [name for name in ids if name.partition("/")[0] in selection.families]
    rule_ids = select_rules(suite, selection.rules, selection.classes)
    if rule_ids is None and not (selection.tags or selection.expression or selection.requirements):
        return sorted(ids)
    matches = _parse(selection.expression) if selection.expression.strip() else None
    selected, all_tags = [], set[str]()
    for name in sorted(ids):
        heading = suite.heading(name)
        all_tags.update(heading.tags)
        if selection.tags and not set(selection.tags) & set(heading.tags):
            continue
        if rule_ids is not None and heading.rule not in rule_ids:
            continue
        if selection.requirements and heading.requirement not in selection.requirements:
            continue
        if matches is None or matches(f"{name}\n{heading.title}".casefold()):
            selected.append(name)
    for tag in selection.tags:
        if not selected and tag not in all_tags:
            raise SelectionError(f"no selected scenario has the tag {tag!r}.{_suggest(tag, all_tags)}")
    return selected


def select_rules(suite: Suite, rules: Sequence[str], classes: Sequence[str]) -> frozenset[str] | None:
    """Return the ids of the rules that are in `rules` and whose class is in `classes`. An empty sequence matches all
    rules. None if both are empty. Raises UnknownRuleError, and SelectionError if the suite has no rules.
    """
    if not rules and not classes:
        return None
    if suite.rules is None:
        raise SelectionError(f"{suite.root} has no rules, so its scenarios belong to no rule and no class.")
    selected_rules = [suite.rules[rule_id] for rule_id in rules] if rules else list(suite.rules)
    return frozenset(rule.id for rule in selected_rules if not classes or rule.class_ in classes)


def option_for(word: str, suite: Suite) -> list[str]:
    """Return the option that selects `word`: `["--family", "gate"]` for `gate`. Empty for unknown words."""
    from readfirst.harness.suite.contracts import LATEST
    from readfirst.harness.suite.rule_classes import CLASSES

    family = word.rstrip("/").rpartition("/scenarios/")[2].removeprefix("scenarios/")
    if family in {name.partition("/")[0] for name in suite.ids()}:
        return ["--family", family]
    if word in (suite.tags or {}):
        return ["--tag", word]
    if suite.rules is not None and word in suite.rules:
        return ["--rule", word]
    if suite.rules is not None and word in CLASSES:
        return ["--class", word]
    if word in suite.contracts or word == LATEST:
        return ["--contract", word]
    return []


def scenario_id(argument: str, known_ids: Collection[str]) -> str | None:
    """Return the id of the scenario that `argument` names by its id or its file. None for other arguments."""
    name = argument.removesuffix(".yaml")
    if name in known_ids:
        return name
    tail = "/".join(name.replace("\\", "/").split("/")[-2:])
    return tail if argument.endswith(".yaml") and tail in known_ids else None


def _resolve_names(arguments: Sequence[str], suite: Suite) -> list[str]:
    """Return the ids, sorted, of the scenarios that a user named by id or path. Raises SelectionError."""
    if all(map(suite.has, arguments)):
        return sorted(set(arguments))
    known_ids = dict.fromkeys(suite.ids())  # ordered, with a fast lookup
    return sorted({each for argument in arguments for each in _resolve_name(argument, known_ids, suite)})


def _resolve_name(argument: str, known_ids: Collection[str], suite: Suite) -> list[str]:
    found_id = scenario_id(argument, known_ids)
    if found_id is not None:
        return [found_id]
    if argument.endswith(".yaml") and (cases := suite.cases_in(argument)):
        return cases
    option = option_for(argument, suite)
    advice = f" Write {' '.join(option)}." if option else _suggest(argument.removesuffix(".yaml"), known_ids)
    raise SelectionError(f"no scenario has the id {argument!r}.{advice}")


def _suggest(name: str, known_names: Iterable[str]) -> str:
    from readfirst.harness.yaml_io.yaml_validation import did_you_mean

    return " " + did_you_mean(name, known_names, "`readfirst list` shows what there is.")


_Matcher = Callable[[str], bool]
_TOKEN_PATTERN = re.compile(r"""\s*(?:([()])|"([^"]*)"|'([^']*)'|([^\s()"']+))""")


def _tokens(expression: str) -> list[tuple[str, bool]]:
    """Split the expression of `-k` into words, operators and parentheses. The flag is true for a quoted word."""
    tokens, at = [], 0
    text = expression.rstrip()
    while at < len(text):
        match = _TOKEN_PATTERN.match(text, at)
        if match is None:
            raise SelectionError(f"-k {expression!r}: the quote at character {at + 1} is not closed.")
        bracket, double, single, word = match.groups()
        quoted = double if double is not None else single
        tokens.append((quoted, True) if quoted is not None else (bracket or word, False))
        at = match.end()
    return tokens


def _parse(expression: str) -> _Matcher:
    """Compile the expression of `-k` to a function that returns whether a text matches. Raises SelectionError."""
    words: list[str] = []
    parts, open_brackets, after_a_word = [], 0, False
    for token, quoted in (*_tokens(expression), ("", False)):
        is_word = quoted or token not in ("and", "or", "not", "(", ")", "")
        problem = ""
        if after_a_word and (is_word or token in ("not", "(") or (token == ")" and not open_brackets)):
            problem = f"`and` or `or` is expected before {token!r}; quote words that contain spaces"
        elif after_a_word and not token and open_brackets:
            problem = "a `)` is missing"
        elif not after_a_word and not is_word and token not in ("not", "("):
            problem = f"a word is expected before {token!r}" if token else "a word is missing at the end"
        if problem:
            raise SelectionError(f"-k {expression!r}: {problem}.")
        open_brackets += (token == "(") - (token == ")") if not quoted else 0
        after_a_word = is_word or token == ")"
        parts.append(f"contains[{len(words)}]" if is_word else token)
        words += [token.casefold()] if is_word else []
    try:
        code = compile(" ".join(parts), "-k", "eval")
    except (SyntaxError, MemoryError, RecursionError):
        raise SelectionError("the -k expression is nested too deep.") from None
    return lambda text: bool(eval(code, {"contains": [word in text for word in words]}))
