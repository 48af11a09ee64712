"""Generate mutants of a package with mutmut's operators, and find the lines that detect each mutant if executed."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

Key = tuple[str, str, str, int]
"""The module, function, old lines and new lines of a mutant, and the number that distinguishes equal changes."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module of the mutated package with one deliberate change.

    `source` is the text of the changed module. `before` and `after` are the lines before and after the change, without
    indentation. `line` is the number of the first changed line, from 1. `function` is the function that contains the
    change, for example `Session.path`, or empty. `occurrence` numbers equal changes in a function from 1.

    To detect the mutant, a test case must execute at least one of the lines `reached_by`. For code that an import
    executes, `reached_by` is empty, and the changed statement is described: the `names` that it defines, the keywords
    (`words`), the strings (`texts`), and the names of the multi-line arguments that contain the change (`within`).

    If `when` is not empty, the change only takes effect in calls with this circumstance, such as `name: hidden`.
    """

    module: str
    function: str
    line: int
    before: str
    after: str
    source: str
    reached_by: frozenset[int]
    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    occurrence: int = 1
    when: str = ""

    def as_occurrence(self, number: int) -> Mutant:
        """Return a copy of the mutant with this number, which distinguishes it from equal changes of the function."""
        return replace(self, occurrence=number)

    @property
    def where(self) -> str:
        """The module and the function that contain the change, for example `session.paths.Paths.named`."""
        return f"{self.module}.{self.function}" if self.function else self.module

    @property
    def key(self) -> Key:
        """A key that finds the mutant in later runs. It depends only on the changed lines and the function's name."""
        return self.where, self.before, self.after, self.occurrence

    @property
    def described(self) -> str:
        """One line of text that describes the mutant, for messages."""
        return described(self.key)


def described(key: Key) -> str:
    """Return one line of text that describes the mutant with this key, for messages."""
    where, before, after, occurrence = key
    nth = f" (occurrence {occurrence})" if occurrence > 1 else ""
    return f"{where}: {' '.join(before.split())} -> {' '.join(after.split())}{nth}"


def mutants_of(module: str, source: str) -> list[Mutant]:
    """Return the mutants of a module, in the order of their lines. Requires mutmut. Type annotations and `__all__` are
    not mutated. If several changes result in the same text, only one mutant is returned.
    """
    from libcst import Module, parse_module
    from libcst.metadata import MetadataWrapper, PositionProvider
    from mutmut.mutation.file_mutation import MutationVisitor, deep_replace
    from mutmut.mutation.mutators import mutation_operators
    from mutmut.mutation.pragma_handling import IgnoredCode

    wrapper = MetadataWrapper(parse_module(source))
    visitor = MutationVisitor(mutation_operators, IgnoredCode(set(), set(), set()))
    wrapper.visit(visitor)
    tree: Module = wrapper.module
    positions: Any = wrapper.resolve(PositionProvider)
    layout = Layout(source)
    texts = [tree.code_for_node(statement) for statement in tree.body]
    starts = [positions[statement].start.line for statement in tree.body]
    header = source[: source.index("".join(texts))]
    counts: dict[Key, int] = {}
    seen = {source}
    found = []
    for mutation in visitor.mutations:
        position = positions[mutation.original_node]
        first, last = position.start.line, position.end.line
        if layout.is_export_list(first):
            continue
        number = max(n for n, start in enumerate(starts) if start <= first)
        changed = tree.code_for_node(
            cast(Any, deep_replace(tree.body[number], mutation.original_node, mutation.mutated_node))
        )
        whole = header + "".join([*texts[:number], changed, *texts[number + 1 :]])
        if whole in seen:
            continue
        seen.add(whole)
        line, before, after = difference(source, whole)
        mutant = Mutant(
            module, layout.function(first), line, before, after, whole, *layout.reaching_lines(first, last)
        )
        counts[mutant.key] = counts.get(mutant.key, 0) + 1
        found.append(mutant.as_occurrence(counts[mutant.key]))
    return sorted(found, key=lambda each: (each.line, each.before, each.after, each.occurrence))


def difference(source: str, changed: str) -> tuple[int, str, str]:
    """Return the number of the first differing line of two texts, from 1, and the differing lines of both texts."""
    old, new = source.split("\n"), changed.split("\n")
    start = next(n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    before, after = ("\n".join(lines[start : len(lines) - end]) for lines in (old, new))
    return start + 1, textwrap.dedent(before).strip(), textwrap.dedent(after).strip()


class Layout:
    """Finds the statement and the function that contain a line of a module."""

    def __init__(self, source: str) -> None:
        self._lines = source.split("\n")
        self._tree = ast.parse(source)

    def is_export_list(self, line: int) -> bool:
        """Whether a line is part of the assignment to `__all__`."""
        path = self._path(line)
        return (
            bool(path)
            and isinstance(path[-1], ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == "__all__" for target in path[-1].targets)
        )

    def function(self, line: int) -> str:
        """Return the dotted name of the function or class that contains a line. Empty if the line is in neither."""
        named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return ".".join(each.name for each in self._path(line) if isinstance(each, named))

    def reaching_lines(self, first: int, last: int) -> tuple[frozenset[Any], ...]:
        """Return the attributes `reached_by`, `names`, `words`, `texts` and `within` of a mutant that changes the lines
        from `first` to `last`. For a change in a function, only `reached_by` is returned.
        """
        path = self._path(first)
        statement = path[-1]
        inside = any(isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) for each in path[:-1])
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inside = False  # a default value, a decorator
        if not inside:
            made = statement if isinstance(statement, (ast.Assign, ast.AnnAssign)) else path[0]
            names = {node.id for node in ast.walk(made) if isinstance(node, ast.Name) and _is_target(node)}
            if made is path[0]:
                names |= {each.name for each in path if hasattr(each, "name")}
            words = {
                node.arg
                for node in ast.walk(statement)
                if isinstance(node, ast.keyword) and node.arg and first <= node.lineno <= last
            }
            texts = {
                node.value
                for node in ast.walk(statement)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
            within = {
                node.arg
                for node in ast.walk(statement)
                if isinstance(node, ast.keyword)
                and node.arg
                and node.lineno < first
                and last <= (node.value.end_lineno or 0)
            }
            return tuple(map(frozenset, ((), names, words, texts, within)))
        if hasattr(statement, "body"):
            return (frozenset({statement.lineno, *range(first, last + 1)}),)
        return (frozenset(range(statement.lineno, (statement.end_lineno or last) + 1)),)

    def _path(self, line: int) -> list[Any]:  # statements of different classes
        """Return the statements that contain a line, from the outermost to the innermost."""
        path: list[Any] = []
        level: list[ast.stmt] = self._tree.body
        while found := next(
            (each for each in level if _first_line(each) <= line <= (each.end_lineno or 0)), None
        ):
            path.append(found)
            level = list(_statements(found))
        return path


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from child.body


def _is_target(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def lines_that_mention(names: frozenset[str], sources: Mapping[str, str]) -> set[tuple[str, int]]:
    """Return the lines in functions and classes that use one of `names`, or a constant defined with one of them."""
    known, lines, fresh = set(names), set(), set(names)
    trees = {module: ast.parse(source) for module, source in sources.items()}
    while fresh:
        wanted, fresh = fresh, set()
        for module, tree in trees.items():
            for statement in tree.body:
                uses = {
                    line
                    for node in ast.walk(statement)
                    for word, line in _words_with_lines(node)
                    if word in wanted
                }
                if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                    lines |= {(module, line) for line in uses}
                elif uses:
                    fresh |= {
                        node.id
                        for node in ast.walk(statement)
                        if isinstance(node, ast.Name) and _is_target(node) and node.id not in known
                    }
        known |= fresh
    return lines


def _words_with_lines(node: ast.AST) -> Iterator[tuple[str, int]]:
    match node:
        case ast.Name(ctx=ast.Load()):
            yield node.id, node.lineno
        case ast.Attribute():
            yield node.attr, node.lineno
