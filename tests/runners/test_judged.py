"""The three runners find the same shown lines and the same harm of calls, without a session."""

import base64
import json
import random
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.compare.showing import shown_cells
from readfirst.harness.harm.call_sequence import FileCalls, check_calls
from readfirst.harness.harm.directory import _iter_cd_targets
from readfirst.harness.harm.line_provenance import FileKnowledge
from readfirst.harness.harm.text_codec import Content
from readfirst.harness.harm.visible_lines import shown_lines
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import ToolCall
from tests.harm.test_notebooks import CALLS, NEW, NOTEBOOK
from tests.harm.ways_to_show import NUMBERED, UNNUMBERED
from tests.runners.verdicts import judged_by_go, judged_by_node, write_lines

CONTENTS = {
    "plain": b"alpha\nbeta\ngamma\n",
    "one line": b"alpha = 1\n",
    "indented": b"def run():\n    if ready:\n        return 1\n    return 0\n",
    "tabs": b"all: one\n\tmake one\n\t\tmake\ttwo\na\tb\tc\n",
    "trailing blanks": b"alpha  \nbeta\t\ngamma \n\n   \n",
    "quotes": b'say "it\'s"\n\'one\' and "two"\n"three"\nback\\slash\\n\\x41\n',
    "not ASCII": "caf\u00e9\n\u65e5\u672c\u8a9e \U0001f600\n\u2168 na\u00efve \u2192 \u201cquoted\u201d\n".encode(),
    "no UTF-8": b"caf\xe9\nplain\n\xf0\x9f\x98 cut\n\xc3\xa9\xff\n",
    "UTF-8 with a mark": b"\xef\xbb\xbffirst\nsecond\n",
    "UTF-16": "\ufefffirst \U0001f600\r\ns\u00e9cond\n".encode("utf-16-le"),
    "half a pair": b"\xff\xfe" + "one \ud800\ntwo\n".encode("utf-16-le", "surrogatepass"),
    "CRLF": b"alpha\r\nbeta\r\n\r\ngamma\rdelta\r\n",
    "markup": b'<p class="x">a &amp; b</p>\nif a < b && c > d:\n&lt;\n',
    "table": b"| a | b |\n|---|---|\n| 1 | 2 |\n",
    "numbers in front": b"12: foo\n13: bar\n1\t2\n7|x\n",
    "numbers alone": b"3\n2\n1\n10\n",
    "carets": b"[^A-Z]^I$\ncost: 5$\nM-x\n^M\n",
    "differences": b"+added\n-removed\n kept\n> mail\n@@ -1 +1 @@\n",
    "same lines": b"x\nx\ny\nx\nx\n",
    "blank": b"\n \n\t\n",
    "nothing": b"",
}
Asked = dict[str, Any]
ENCODINGS = ((b"", "utf-8"), (b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"))
"""Byte order marks and encodings of files."""


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def lines_asked() -> Iterator[Asked]:
    for data, answer in dict.fromkeys(_answers()):
        yield {"what": "lines", "data": _base64(data), "answer": answer}


def _answers() -> Iterator[tuple[bytes, str]]:
    """Yield contents with answers in all forms, also with wrong numbers, cut, in capitals, or without a line."""
    for data in CONTENTS.values():
        lines = Content.of(data).lines
        told = [line.encode("utf-8", "replace").decode("utf-8") for line in lines]
        ways = [told, told[1:], told[:-1], [line[:-1] for line in told], [line.upper() for line in told]]
        for way in ways:
            for with_numbers in NUMBERED.values():
                for first in (0, 1, 2, 7):
                    yield data, with_numbers(way, lambda index: str(index + first))  # noqa: B023
            for without in UNNUMBERED.values():
                yield data, without(way)
        yield data, "Contents: " + "\n".join(told)
        yield data, "<file>" + "\n".join(told) + "</file>"
        yield data, "Read: 1\t" + "\n".join(told)


def cells_asked() -> Iterator[Asked]:
    """Yield questions about the cells of a notebook that an answer shows, also cut or in other forms."""
    sources = ["x = 1\nprint(x)", "# T\u00eftle \U0001f600", "", 'say("a\\n\tb")', "x = 1", "\n  y\n"]
    texts = [*sources, *(source[:-1] for source in sources), "x = 10", "ax = 1", "x = 1_"]
    told = [json.dumps({"source": text}, ensure_ascii=ascii_) for text in texts for ascii_ in (True, False)]
    told += texts + [f'<cell id="a">{text}</cell id="a">' for text in texts]
    draw = random.Random(7)
    for _ in range(400):
        answer = draw.choice(["\n", " ", ""]).join(draw.choices(told, k=draw.randrange(1, 9)))
        yield {"what": "cells", "sources": draw.sample(sources, 4), "answer": answer}


def directories_asked() -> Iterator[Asked]:
    words = [
        *["cd", "sub", "&&", ";", "|", "||", "(cd", "echo", "..", "~", "/", "cd;"],
        "'a b'",
        '"$WS/sub"',
        "\n",
    ]
    draw = random.Random(8)
    for _ in range(400):
        yield {"what": "directories", "command": " ".join(draw.choices(words, k=draw.randrange(1, 8)))}


def notebooks_asked() -> Iterator[Asked]:
    """Yield questions about the harm of right and wrong results of a NotebookEdit."""
    draw = random.Random(9)
    for _ in range(900):
        before = json.loads(json.dumps(NOTEBOOK))
        calls = draw.choices([*CALLS.values()], k=draw.choice((1, 1, 2)))
        if draw.random() < 0.3:
            calls = [{**call, "cell_id": draw.choice(("cell-0", "cell-3", "end", "none"))} for call in calls]
        if draw.random() < 0.1:
            calls = [{**call, "cell_id": None, "cell_number": draw.randrange(6)} for call in calls]
        after = json.loads(json.dumps(before))
        for call in calls:
            _edit(after["cells"], call, draw)
        if draw.random() < 0.1:
            after["metadata"] = {}
        data = json.dumps(before).encode()
        now = json.dumps(after, indent=1).encode() if draw.random() < 0.95 else b"[]"
        yield _harms_asked([("NotebookEdit", call) for call in calls], data, data, now)


def _edit(cells: list[dict[str, Any]], call: dict[str, Any], draw: random.Random) -> None:
    """Change the cells of a notebook as a NotebookEdit requests or, sometimes, differently."""
    ids = [cell.get("id") for cell in cells]
    is_right = call.get("cell_id") in ids and draw.random() < 0.7
    at = ids.index(call["cell_id"]) if is_right else draw.randrange(len(cells))
    match call.get("edit_mode"):
        case "insert":
            cells.insert(at + draw.choice((0, 1, 1, 1)), {**NEW, "source": call["new_source"]})
        case "delete":
            del cells[at]
        case _:
            source = draw.choice((call["new_source"], call["new_source"], "other"))
            cells[at] = {**cells[at], "source": source}
    for _ in range(draw.choice((0, 0, 1, 2))):
        cell = draw.choice(cells)
        match draw.randrange(7):
            case 0:
                cell.pop("id", None)
            case 1:
                cell["outputs"] = []
            case 2:
                cell["metadata"] = {"new": 1.0}
            case 3:
                draw.shuffle(cells)
            case 4:
                cells.append({**NEW, "id": "n2"})
            case 5:
                cell["cell_type"] = "raw"
            case _ if len(cells) > 1:
                cells.remove(cell)


def edits_asked() -> Iterator[Asked]:
    """Yield questions about the harm of right and wrong results of an Edit, MultiEdit or Write."""
    draw = random.Random(10)
    words = ["alpha", "beta", "\u201cgamma\u201d", "d\u00e9lta", "  x = 1  ", "", "beta beta", "\tend"]
    for _ in range(2500):
        end = draw.choice(("\n", "\n", "\r\n"))
        text = end.join(draw.choices(words, k=draw.randrange(1, 7))) + draw.choice(("", end))
        mark, encoding = draw.choice(ENCODINGS)
        calls, after = [], text
        for _ in range(draw.choice((1, 1, 1, 2))):
            call, after = _call(after, words, draw)
            calls.append(call)
        after = draw.choice(
            [
                *[after] * 6,
                after.replace("\r\n", "\n"),
                after.rstrip("\r\n"),
                after.replace("alpha", "ALPHA"),
                text,
                end.join(after.split(end)[1:]),
                f"{after}more{end}",
            ]
        )
        marked = mark + after.encode(encoding)
        now = None if draw.random() < 0.03 else marked if draw.random() < 0.9 else after.encode()
        first = text.replace("beta", "former", 1) if draw.random() < 0.3 else text
        before = None if draw.random() < 0.05 else mark + text.encode(encoding)
        answer = draw.choice((text, text, text[: len(text) // 2], ""))
        yield _harms_asked(calls, mark + first.encode(encoding), before, now, answer)


def _call(text: str, words: list[str], draw: random.Random) -> tuple[tuple[str, dict[str, Any]], str]:
    """Return a random call and its result on a text, which is the requested one or slightly different."""
    new = draw.choice(["omega", "omega\ntwo", "omega  ", "", " ", "alpha", '"q"'])
    old = draw.choice([*filter(None, words), '"gamma"', "alpha\nbeta", "alpha\r\nbeta", "missing", ""])
    edit = {"old_string": old, "new_string": new}
    if draw.random() < 0.3:
        edit["replace_all"] = True
    kind = draw.randrange(8)
    if kind == 0:
        return ("Write", {"content": f"{new}\nwritten\n"}), f"{new}\nwritten\n"
    count = -1 if "replace_all" in edit else draw.choice((1, 1, -1))
    made_of = text.replace(old, new, count) if old else new
    if kind == 1:
        edits = [edit, {"old_string": "x", "new_string": "y"}]
        return ("MultiEdit", {"edits": edits}), made_of.replace("x", "y", 1)
    return ("Edit", edit), made_of


def _harms_asked(
    calls: list[tuple[str, dict[str, Any]]],
    first: bytes,
    before: bytes | None,
    after: bytes | None,
    answer: str = "",
) -> Asked:
    made_calls = [{"tool": tool, "arguments": {"file_path": "a", **given}} for tool, given in calls]
    data = {"first": _base64(first), "before": _base64(before), "after": _base64(after)}
    return {"what": "harms", "calls": made_calls, "answer": answer, **data}


def answer_here(asked: Asked) -> Any:
    def data(name: str) -> bytes | None:
        return None if asked[name] is None else base64.b64decode(asked[name])

    match asked["what"]:
        case "lines":
            return shown_lines(Content.of(data("data") or b"").lines, asked["answer"])
        case "cells":
            return shown_cells(asked["sources"], asked["answer"])
        case "directories":
            return [*_iter_cd_targets(asked["command"])]
    first, before, after = data("first"), data("before"), data("after")
    known = FileKnowledge.from_given_data(first or b"")
    if asked["answer"]:
        known = known.after_read(asked["answer"], "Read")
    if before is not None and before != first:
        known = known.after_write("other", before)
    calls = FileCalls("a")
    for number, call in enumerate(asked["calls"]):
        calls.calls.append((number, ToolCall(call["tool"], call["arguments"])))
    states = [{} if each is None else {"a": RegularFile(each)} for each in (before, after)]
    return [[number, harm.kind] for number, harm in check_calls(calls, known, *states)]


@pytest.mark.slow
def test_the_random_results_of_edits_contain_every_kind_of_harm() -> None:
    asked = [*edits_asked(), *notebooks_asked()]
    kinds = {kind for each in asked for _, kind in answer_here(each)}
    assert kinds == {"lost", "misplaced", "spoiled", "altered", "untrue", "stray", "blind"}
    assert sum(answer_here(each) == [] for each in asked) > 200


@pytest.mark.parametrize(
    "judged",
    [
        pytest.param(judged_by_go, marks=pytest.mark.go, id="go"),
        pytest.param(judged_by_node, marks=pytest.mark.node, id="javascript"),
    ],
)
def test_the_runners_find_the_same_shown_lines_and_harm_as_the_harness(
    judged: Callable[[Path, Path], list[Any]], tmp_path: Path
) -> None:
    parts = (lines_asked(), cells_asked(), directories_asked(), notebooks_asked(), edits_asked())
    asked = [*chain.from_iterable(parts)]
    theirs = judged(write_lines(tmp_path / "asked.jsonl", asked), tmp_path / "told.jsonl")
    assert len(theirs) == len(asked) > 12_000
    answers = [(each, answer_here(each), said) for each, said in zip(asked, theirs, strict=True)]
    assert [each for each in answers if each[1] != each[2]] == []
