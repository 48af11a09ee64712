"""Generate mutants with an *exception*: one condition of the reference is wrong in one circumstance of a call.

A condition `if unread:` becomes `if (unread) and not when("name: hidden"):` or `if (unread) or when("name: hidden"):`.
The module `circumstances` defines `when`. With `when("always")`, the condition is always wrong. If no scenario detects
the mutant that is always wrong, no exceptions of this condition are generated. The module `population` tests the
exceptions.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mutants import Key, Layout, Mutant, difference

ALWAYS = "always"
"""The name of a circumstance that every call has."""

_FILE_CIRCUMSTANCES = (
    "name: hidden",
    "name: no extension",
    "name: other extension",
    "name: spaces",
    "name: capitals",
    "depth: deep",
    "path: roundabout",
    "path: relative",
    "path: outside",
    "path: at home",
    "kind: link",
    "kind: hard link",
    "mode: read-only",
    "mode: executable",
    "encoding: utf-16",
    "encoding: utf-8 with a mark",
    "line ends: crlf",
    "line ends: mixed",
    "size: empty",
    "size: large",
    "ends in: text",
    "before: refused",
)
_EDIT_CIRCUMSTANCES = (
    "edit: deletion",
    "edit: insertion",
    "edit: whitespace alone",
    "edit: whole file",
    "length: long",
    "length: lines",
    "replace_all: false",
)
_WRITE_CIRCUMSTANCES = ("content: empty", "content: the same", "length: long")

MODULES = {
    "files.disk": (*_FILE_CIRCUMSTANCES, *_EDIT_CIRCUMSTANCES, *_WRITE_CIRCUMSTANCES),
    "session.read_state": (*_FILE_CIRCUMSTANCES, *_EDIT_CIRCUMSTANCES, *_WRITE_CIRCUMSTANCES),
    "session.access": (*_FILE_CIRCUMSTANCES, *_EDIT_CIRCUMSTANCES, *_WRITE_CIRCUMSTANCES),
    "session.permission_rules": _FILE_CIRCUMSTANCES,
    "session.storage": (*_FILE_CIRCUMSTANCES, *_EDIT_CIRCUMSTANCES, *_WRITE_CIRCUMSTANCES),
    "text.content": (*_FILE_CIRCUMSTANCES, *_EDIT_CIRCUMSTANCES, *_WRITE_CIRCUMSTANCES),
    "tools.edit": (*_FILE_CIRCUMSTANCES, *_EDIT_CIRCUMSTANCES),
    "tools.read": _FILE_CIRCUMSTANCES,
    "tools.write": (*_FILE_CIRCUMSTANCES, *_WRITE_CIRCUMSTANCES),
}
"""The modules whose conditions are made wrong: they refuse calls or write files. Values: the circumstances to try."""

CIRCUMSTANCES = tuple(dict.fromkeys((*_FILE_CIRCUMSTANCES, *_EDIT_CIRCUMSTANCES, *_WRITE_CIRCUMSTANCES)))
"""All circumstances that are tried: properties of calls, as in `readfirst.observatory.fuzz.conditions`."""


def rules_of(module: str, source: str) -> list[Mutant]:
    """Return the mutants that make one condition always false or always true, in the order of the lines. Conditions
    that depend only on the version of the product are not changed.
    """
    found = [rule for _, *both in conditions_of(module, source) for rule in both]
    return sorted(found, key=lambda each: (each.line, each.before, each.after, each.occurrence))


def conditions_of(module: str, source: str) -> Iterator[tuple[ast.expr, Mutant, Mutant]]:
    """Yield each condition with two mutants: in the first, it is always false, in the second, always true."""
    layout = Layout(source)
    counts: Counter[Key] = Counter()
    for node in _conditions(ast.parse(source)):
        function = layout.function(node.lineno)
        if not function:
            continue
        text = ast.get_source_segment(source, node) or ""
        both = []
        for how in ("and not", "or"):
            changed = replace_node(source, node, f'({text}) {how} when("{ALWAYS}")')
            line, before, after = difference(source, changed)
            reached_by, *_ = layout.reaching_lines(node.lineno, node.end_lineno or node.lineno)
            mutant = Mutant(module, function, line, before, after, changed, reached_by, when=ALWAYS)
            counts[mutant.key] += 1
            both.append(mutant.as_occurrence(counts[mutant.key]))
        yield node, both[0], both[1]


def exceptions_of(rules: Iterable[Mutant]) -> list[Mutant]:
    """Return the mutants that make one condition of `rules` wrong in only one circumstance, such as `name: hidden`."""
    return [
        replace(
            rule,
            after=rule.after.replace(f'when("{ALWAYS}")', f'when("{circumstance}")'),
            source=rule.source.replace(f'when("{ALWAYS}")', f'when("{circumstance}")'),
            when=circumstance,
        )
        for rule in rules
        for circumstance in dict.fromkeys(MODULES[rule.module])
    ]


def _conditions(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) if _depends_on_call(test):
                yield test
            case ast.FunctionDef(returns=ast.Name("bool")):
                returned = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
                yield from (each for each in returned if each is not None and _depends_on_call(each))
            case _:
                pass


def _depends_on_call(condition: ast.expr) -> bool:
    """Whether a condition depends on the call. False if it depends only on the version of the product."""
    match condition:
        case ast.Constant():
            return False
        case ast.UnaryOp(operand=operand):
            return _depends_on_call(operand)
        case ast.BoolOp(values=values):
            return any(map(_depends_on_call, values))
        case ast.Attribute(
            value=ast.Attribute(value=ast.Name("behaviours") | ast.Attribute(attr="behaviours"))
        ):
            return False
        case _:
            return True


def replace_node(source: str, node: ast.expr, text: str) -> str:
    """Return the source code after replacing a node of its syntax tree by `text`."""
    lines = source.encode().splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = b"".join(lines[:first]) + lines[first][: node.col_offset]
    after = lines[last][node.end_col_offset :] + b"".join(lines[last + 1 :])
    return (before + text.encode() + after).decode()
