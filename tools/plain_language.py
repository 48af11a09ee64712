"""Measure how plainly the project is written, and draw random items for a reader.

    python3 tools/plain_language.py habits          # counts per 10,000 words, and the shares of names
    python3 tools/plain_language.py draw --seed 7   # 80 items: 40 code, 20 docs, 10 changelog, 10 messages

The counts are a thermometer, not a ban list: a reader who did not write an item decides whether it is clear at first
reading. The habits count docstrings, comments and Markdown, without most generated pages.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CODE_DIRECTORIES = ("harness", "observatory", "reference_impl", "readfirst", "tools", "tests")
NAMED_DIRECTORIES = ("harness", "observatory", "reference_impl")
"""The directories whose functions `habits` uses to measure names. `draw` selects items of code from them."""
GENERATED_PAGES = ("behaviour.md", "compatibility.md", "history.md", "implementations.md", "opinions.md")

HABITS = {
    "what-clause instead of a noun": r"\b[Ww]hat (?!if\b|about\b)\w+",
    "preposition + which or whom": (
        r"\b(?:in|by|on|from|to|with|for|of|about|at|after|without|among|through) (?:which|whom)\b"
    ),
    "where": r"\b[Ww]here\b",
    "nobody, somebody, anybody, everybody": r"\b(?:[Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body\b",
    "whoever, whatever": r"\b[Ww]h(?:o|at)ever\b",
    "is no, is none": r"\b(?:is|are|was) (?:no|none)\b",
    "alone, beside, anew, of its own": r"\b(?:alone|beside|anew|of (?:its|their) own)\b",
    "use": r"\b[Uu]s(?:e|es|ed|ing)\b",
    "support": r"\b[Ss]upport(?:s|ed|ing)?\b",
    "if": r"\b[Ii]f\b",
    "must, should, can": r"\b(?:[Mm]ust|[Ss]hould|[Cc]an|[Cc]annot)\b",
}
"""Patterns that `habits` counts. Plain text rarely matches them, except the last four (everyday words)."""

_IRREGULAR_PARTICIPLES = frozenset(
    re.findall(
        r"\w+",
        "been begun bound broken brought built caught chosen cut done drawn driven fallen felt found given gone grown "
        "heard held hidden kept known laid led left lent lost made meant met paid put read run said seen sent set "
        "shown shut spent split stood struck taken thought told torn understood woken won worn wound written",
    )
)
_MIN_DOC_SENTENCE_CHARS = 40
_MIN_MESSAGE_CHARS = 24
_WORD_PATTERN = re.compile(r"[A-Za-z][A-Za-z'-]*")
_FENCE_PATTERN = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


class Item(NamedTuple):
    """One item that a reader judges: its kind (code, docs, changelog or message), its location, and its text."""

    kind: str
    location: str
    text: str


@dataclass(frozen=True)
class NameShares:
    """The number of functions, the percentages of one-word names and of bare participles, and frequent names."""

    functions: int
    one_word: float
    bare_participle: float
    common: tuple[tuple[str, int], ...]


def python_files(root: Path, directories: Sequence[str] = CODE_DIRECTORIES) -> list[Path]:
    """Return the Python files in some directories of a checkout, sorted. Symlinks are not followed."""
    return sorted(
        path
        for directory in directories
        for path in (root / directory).rglob("*.py")
        if not any(parent.is_symlink() for parent in path.parents)
    )


def pages(root: Path) -> list[Path]:
    """Return the Markdown pages of a checkout, except most generated pages."""
    return [
        path
        for path in sorted(
            [*root.glob("*.md"), *(root / "docs").glob("*.md"), *(root / "runners").glob("*.md")]
        )
        if path.name not in GENERATED_PAGES
    ]


def prose_of_python(source: str) -> str:
    """Return the docstrings and comments of a module as one text."""
    tree = ast.parse(source)
    parts = [
        ast.get_docstring(node, clean=True) or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    parts += [docstring for _, docstring in _constants(tree)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    parts += [token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join(filter(None, parts))


def prose_of_page(text: str) -> str:
    """Return the text of a page after removing its code blocks."""
    return _FENCE_PATTERN.sub("", text)


def count_habits(texts: Sequence[str]) -> tuple[int, dict[str, float]]:
    """Return the number of words in some texts, and the number of matches of each habit per 10,000 words."""
    text = "\n".join(texts)
    words = len(_WORD_PATTERN.findall(text))
    return words, {
        habit: 10_000 * len(re.findall(pattern, text)) / max(words, 1) for habit, pattern in HABITS.items()
    }


def measure_names(modules: Sequence[str]) -> NameShares:
    """Measure the names of functions and methods in source texts, except names such as `__init__`."""
    names: list[str] = []
    modules_by_name: dict[str, int] = defaultdict(int)
    for source in modules:
        defined = [
            node.name
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__")
        ]
        names += defined
        for name in set(defined):
            modules_by_name[name] += 1
    bare = [name.strip("_") for name in names]
    total = max(len(bare), 1)
    return NameShares(
        len(bare),
        100 * sum("_" not in name for name in bare) / total,
        100 * sum(is_participle(name) for name in bare) / total,
        tuple(Counter(modules_by_name).most_common(10)),
    )


def is_participle(name: str) -> bool:
    """Whether a name is a single participle, such as `shown` or `judged`."""
    return "_" not in name and (
        name in _IRREGULAR_PARTICIPLES or (name.endswith("ed") and len(name) > 4 and not name.endswith("eed"))
    )


def items_of_code(root: Path) -> Iterator[Item]:
    """Yield the documented functions, classes and constants of the code."""
    for path in python_files(root, NAMED_DIRECTORIES):
        source = path.read_text("utf-8")
        tree = ast.parse(source)
        location = path.relative_to(root).as_posix()
        for node, class_name in _definitions(tree):
            if docstring := ast.get_docstring(node):
                yield Item(
                    "code", f"{location}:{node.lineno}", f"{_signature(node, class_name)}\n{docstring}"
                )
        for statement, docstring in _constants(tree):
            text = f"{ast.unparse(statement)[:200]}\n{docstring}"
            yield Item("code", f"{location}:{statement.lineno}", text)


def items_of_pages(root: Path) -> Iterator[Item]:
    """Yield the sentences of the pages, without the changelog. An item shows the page, the heading and, in brackets,
    the previous sentence of the section, which a reader of the page has just read.
    """
    for path in pages(root):
        if path.name == "CHANGELOG.md":
            continue
        for section in re.split(r"^(?=#)", prose_of_page(path.read_text("utf-8")), flags=re.MULTILINE):
            heading = section.partition("\n")[0].lstrip("# ") if section.startswith("#") else ""
            page = path.relative_to(root).as_posix()
            location = f"{page}, {heading}" if heading else page
            text = re.sub(r"^(?:[|#>].*|\s*<.*|    .*)$", "", section, flags=re.MULTILINE)
            before = ""
            for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
                for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`\[])", " ".join(paragraph.split())):
                    if len(sentence) >= _MIN_DOC_SENTENCE_CHARS:
                        yield Item("docs", location, f"[{before}] {sentence}" if before else sentence)
                    before = sentence


def items_of_changelog(root: Path) -> Iterator[Item]:
    """Yield the entries of the changelog."""
    text = (root / "CHANGELOG.md").read_text("utf-8")
    for entry in re.findall(r"^- (.*(?:\n  .*)*)", text, re.MULTILINE):
        yield Item("changelog", "CHANGELOG.md", " ".join(entry.split()))


def items_of_messages(root: Path) -> Iterator[Item]:
    """Yield the texts of errors, help and findings: the strings of `raise` statements and `help=` arguments."""
    for path in python_files(root, ("harness", "observatory")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Raise(exc=ast.Call(args=[text, *_])):
                    pass
                case ast.keyword(arg="help", value=text):
                    pass
                case _:
                    continue
            if isinstance(text, ast.Constant | ast.JoinedStr):
                message = ast.unparse(text)
                if len(message) >= _MIN_MESSAGE_CHARS:
                    location = f"{path.relative_to(root).as_posix()}:{text.lineno}"
                    yield Item("message", location, message)


def draw(root: Path, seed: int) -> list[Item]:
    """Return 80 items: 40 of code, 20 of docs, 10 of the changelog, 10 messages. Raises ValueError if too few."""
    chosen = random.Random(seed)
    items: list[Item] = []
    for count, candidates in (
        (40, items_of_code(root)),
        (20, items_of_pages(root)),
        (10, items_of_changelog(root)),
        (10, items_of_messages(root)),
    ):
        items += chosen.sample(list(candidates), count)
    return items


def _constants(tree: ast.Module) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each assignment in a module that is followed by a docstring, and this docstring."""
    for statement, following in zip(tree.body, tree.body[1:], strict=False):
        match statement, following:
            case ast.Assign() | ast.AnnAssign(), ast.Expr(value=ast.Constant(value=str(docstring))):
                yield statement, docstring


def _definitions(node: ast.AST, class_name: str = "") -> Iterator[tuple[ast.ClassDef | ast.FunctionDef, str]]:
    """Yield each class and function with the name of the class that contains it. The name is empty outside classes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            yield child, class_name
        match child:
            case ast.ClassDef():
                yield from _definitions(child, child.name)
            case ast.FunctionDef():
                yield from _definitions(child)
            case _:
                yield from _definitions(child, class_name)


def _signature(node: ast.ClassDef | ast.FunctionDef, class_name: str) -> str:
    """Return the signature of a class or function, as documentation shows it: with its class and its result type."""
    prefix = f"{class_name}." if class_name else ""
    if isinstance(node, ast.ClassDef):
        return f"class {prefix}{node.name}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"def {prefix}{node.name}({ast.unparse(node.args)}){returns}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("habits", help="Count the habits and measure the names.")
    drawing = commands.add_parser("draw", help="Draw 80 items for a reader.")
    drawing.add_argument("--seed", type=int, required=True, help="The seed of the draw.")
    for command in commands.choices.values():
        command.add_argument("--checkout", type=Path, default=ROOT, help="The checkout to measure.")
    options = parser.parse_args(arguments)
    root: Path = options.checkout
    if options.command == "draw":
        for number, item in enumerate(draw(root, options.seed), 1):
            print(f"{number}. [{item.kind}] {item.location}\n{item.text}\n")
        return 0
    texts = [prose_of_python(path.read_text("utf-8")) for path in python_files(root)]
    texts += [prose_of_page(path.read_text("utf-8")) for path in pages(root)]
    words, counts = count_habits(texts)
    print(f"{words:,} words of docstrings, comments and Markdown; per 10,000 words:")
    for habit, count in counts.items():
        print(f"  {count:6.1f}  {habit}")
    names = measure_names([path.read_text("utf-8") for path in python_files(root, NAMED_DIRECTORIES)])
    print(
        f"{names.functions:,} functions: {names.one_word:.0f} % of one word, "
        f"{names.bare_participle:.1f} % bare participles"
    )
    print("names in the most modules: " + ", ".join(f"{name} {count}" for name, count in names.common))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
