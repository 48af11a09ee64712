"""Rules in order: what a call goes through in one version, read from the reference with its behaviours put in.

The functions of a tool's module are followed in the order of a call. Where a behaviour decides, only the way that the
version takes is followed, so that nothing is left to be decided but what depends on the call.
"""

import ast
import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType

import readfirst.reference_impl
from readfirst.harness.versions.behaviours import Standing, standings
from readfirst.reference_impl.contract import history_of

TOOLS = {
    "Read": "read",
    "Edit": "edit",
    "MultiEdit": "multi_edit",
    "Write": "write",
    "NotebookRead": "notebook_read",
    "NotebookEdit": "notebook_edit",
}
"""The module of each tool that has rules of its own."""
_EXISTS = {"MultiEdit": "multi_edit_exists", "NotebookRead": "read_refuses_notebooks"}
"""The behaviour that tells whether there is a tool that not every version has."""
_STEPS = {
    "schema": "Arguments",
    "prepare": "Preparation, for all calls of a message before the first is executed",
    "validate": "Validation",
    "permit": "Permission",
    "execute": "Execution",
}
_OWNERS = frozenset(["self", "session", "paths", "permissions", "storage", "memory", "attempt", "file"])
"""What the values are called whose methods are rules."""
_CODE = Path(readfirst.reference_impl.__file__).parent


@dataclass(frozen=True, slots=True)
class _Function:
    """A function or method of the reference: the module that it is in, its name, and its code."""

    module: str
    name: str
    code: ast.FunctionDef


def rules_as_text(version: str) -> Iterator[str]:
    """Yield the lines that a person reads: for each tool the rules of one version, in the order in which they apply.

    Raises UnknownVersionError.
    """
    found = standings(version)
    yield f"The rules of {version}, in the order in which they apply."
    for tool, module in TOOLS.items():
        exists = _EXISTS.get(tool)
        if exists and not found[exists].value:
            continue
        yield ""
        yield tool
        follower = _Follower(found)
        for name, title in _STEPS.items():
            lines = list(follower.lines(_functions()[f"tools.{module}", name], depth=2))
            if lines:
                yield f"  {title}"
                yield from lines


class _Follower:
    """Follows a tool's rules in one version. What was said of a function is not said again."""

    def __init__(self, found: Mapping[str, Standing]) -> None:
        self._found = found
        self._said: set[str] = set()

    def lines(self, function: _Function, depth: int) -> Iterator[str]:
        """Yield what a function does: the behaviours that it asks for, and the rules that it calls."""
        for statement in function.code.body:
            yield from self._of(statement, function, depth)

    def _of(self, node: ast.AST, function: _Function, depth: int) -> Iterator[str]:
        """Yield what is said of a piece of code, of its parts in the order in which they are evaluated."""
        match node:
            case ast.If(test=test, body=body, orelse=orelse) | ast.IfExp(test=test, body=body, orelse=orelse):
                yield from self._of(test, function, depth)
                decided = self._decided(test)
                ways = [*([body] if decided is not False else []), *([orelse] if not decided else [])]
                for each in (each for way in ways for each in (way if isinstance(way, list) else [way])):
                    yield from self._of(each, function, depth)
            case ast.BoolOp(op=op, values=values):
                for each in values:
                    yield from self._of(each, function, depth)
                    if self._decided(each) is isinstance(op, ast.Or):
                        return
            case ast.Attribute() if (name := _behaviour(node)) in self._found:
                yield from self._behaviour(name, depth)
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from self._of(child, function, depth)
                called = _called(node, function)
                if called is not None:
                    yield from self._rule(called, depth)

    def _rule(self, called: _Function, depth: int) -> Iterator[str]:
        key = f"{called.module}.{called.name}"
        if key in self._said:
            return
        self._said.add(key)
        said = ast.get_docstring(called.code)
        if said is None:  # a part of what was said of its caller
            yield from self.lines(called, depth)
            return
        below = list(self.lines(called, depth + 1))
        refuses = any(isinstance(node, ast.Raise) for node in ast.walk(called.code))
        if below or refuses:
            first, _, _ = said.partition("\n\n")
            yield f"{'  ' * depth}- {' '.join(first.split())}"
            yield from below

    def _behaviour(self, name: str, depth: int) -> Iterator[str]:
        if name in self._said:
            return
        self._said.add(name)
        said = _said(self._found[name])
        if said:
            yield f"{'  ' * depth}- {said}"

    def _decided(self, test: ast.expr) -> bool | None:
        """Return what a condition is in this version; None: that depends on the call."""
        match test:
            case ast.Attribute() if (name := _behaviour(test)) in self._found:
                return bool(self._found[name].value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                decided = self._decided(operand)
                return None if decided is None else not decided
            case ast.BoolOp(op=op, values=values):
                parts = [self._decided(each) for each in values]
                absorbing = isinstance(op, ast.Or)
                if absorbing in parts:
                    return absorbing
                return None if None in parts else not absorbing
            case ast.Compare(
                left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant(value=to)]
            ):
                if (name := _behaviour(left)) in self._found:
                    return (self._found[name].value == to) is isinstance(op, ast.Eq)
        return None


def _said(standing: Standing) -> str:
    """Return the sentence that holds; nothing where a behaviour that is not there leaves nothing to say."""
    holds, _, otherwise = history_of(standing.name).meaning.partition("; otherwise ")
    if standing.value is True:
        return holds.removesuffix(".") + "."
    if standing.value is False:
        return otherwise[:1].upper() + otherwise[1:]
    value = "none" if standing.value in (None, "") else json.dumps(standing.value, ensure_ascii=False)
    return f"{history_of(standing.name).meaning} The value: {value}"


def _behaviour(node: ast.AST) -> str:
    """Return the name of the behaviour that an expression asks for; empty: it asks for none."""
    match node:
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="behaviours")), attr=name):
            return name
        case ast.Attribute(value=ast.Attribute(value=ast.Attribute(attr="behaviours")), attr=name):
            return name
    return ""


def _called(node: ast.AST, function: _Function) -> _Function | None:
    """Return the function of the reference that an expression calls, or the property that it asks for."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return _functions().get((_where(function.module, name), name))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if module not in _OWNERS:
            return _functions().get((_where(function.module, module), name))
        case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name) if (
            owner in _OWNERS
        ):
            return _methods().get(name)
    return None


def _where(module: str, name: str) -> str:
    """Return the module in which what a module calls by a name is defined; of a module, itself."""
    value = getattr(importlib.import_module(f"{_PREFIX}{module}"), name, None)
    found = value.__module__ if isinstance(value, FunctionType) else getattr(value, "__name__", "")
    return str(found).removeprefix(_PREFIX)


_PREFIX = "readfirst.reference_impl."


@cache
def _functions() -> dict[tuple[str, str], _Function]:
    """Return the functions of the reference, by module and name."""
    return {
        (module, node.name): _Function(module, node.name, node)
        for module, tree in _trees().items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


@cache
def _methods() -> dict[str, _Function]:
    """Return the methods and properties that are rules, by name: those of a session's parts, and of an attempt."""
    return {
        node.name: _Function(module, f"{kind.name}.{node.name}", node)
        for module, tree in _trees().items()
        if module.startswith(("session.", "tools."))
        for kind in tree.body
        if isinstance(kind, ast.ClassDef)
        for node in kind.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
    }


@cache
def _trees() -> dict[str, ast.Module]:
    return {
        ".".join(file.relative_to(_CODE).with_suffix("").parts): ast.parse(file.read_bytes())
        for file in sorted(_CODE.rglob("*.py"))
        if file.name != "__init__.py"
    }
