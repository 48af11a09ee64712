"""No link that a scenario makes leads out of its workspace, at any time and on any file system."""

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from readfirst.harness.suite.reach import Links
from tests.rows import rows


def links(**targets: str) -> Links:
    made = Links()
    for name, target in targets.items():
        made.add(name.replace("__", "/"), target)
    return made


@rows(
    "made",
    [
        links(a="b.txt"),
        links(a="."),
        links(d__a="../b"),
        links(a="$WS"),
        links(a="$WS/d/../b"),
        links(a="a"),
        links(a="b", b="a"),
        links(d__up="..", d__a="up/b"),
    ],
)
def test_links_that_stay_inside_are_accepted(made: Links) -> None:
    assert list(made.escaping()) == []


@rows(
    "made",
    [
        links(a=".."),
        links(a="/etc"),
        links(a="$WSX"),
        links(a="$WS/.."),
        links(a="d/../../b"),
        links(d__up="..", d__a="up/../b"),
        links(d__up="$WS", d__a="up/../b"),
        links(a="b/..", b="d/e/f", d__e="$WS", f=".."),
        links(a="..$WS/x"),
        links(a="$WS/..$WS"),
        links(d__UP="..", d__a="up/../b"),
        links(d__é="..", d__a="e\u0301/../b"),
        links(d__up="..", d__a="u\u200dp/../b"),
        links(a="a/../../b"),
        links(**{"a/\u2025/b": "/etc"}),
        links(**{"a/\u2025/b": "../../..", "a": "b"}),
        links(**{"\u2024/b": "$WS/.."}),
        links(**{"a/\ufe52\ufe52/b": "/etc"}),
        links(**{"a/\u200b/b": "/etc"}),
        links(**{"\u2100/b": "/etc"}),
        links(a="x/" * 100 + "../" * 101),
    ],
)
def test_links_that_lead_out_are_refused(made: Links) -> None:
    assert list(made.escaping())


def test_a_moved_link_is_judged_where_it_was_and_where_it_is() -> None:
    made = links(d__e__a="../../b")
    assert not list(made.escaping())
    made.rename("D/e", "e")
    assert "e/a" in list(made.escaping())
    assert made.passed_by("e/a/c")
    assert made.passed_by("d/E/a/c")
    assert not made.passed_by("e/a")


def test_a_path_is_followed_by_links_that_may_be_there_and_past_them() -> None:
    made = links(d__up="$WS", deep="d/e")
    assert made.leaves("d/up/../x")
    assert made.leaves("UP/../x", directory="d")
    assert not made.leaves("deep/../x")
    assert not made.leaves("d/up/x")


PARTS = st.sampled_from(["a", "b", "..", ".", "\u2025", "\u2024"])
TARGETS = st.one_of(
    st.lists(PARTS, min_size=1, max_size=4).map("/".join),
    st.lists(PARTS, max_size=3).map(lambda parts: "/".join(["$WS", *parts])),
)
PLACES = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "d/\u2025/a", "\u2024/b"])


@settings(deadline=None, max_examples=60)  # it writes to the disk
@given(st.dictionaries(PLACES, TARGETS, max_size=4), st.lists(PARTS, min_size=1, max_size=4).map("/".join))
def test_no_link_or_path_that_passes_leads_out_on_disk(targets: dict[str, str], path: str) -> None:
    made = Links()
    for name, target in targets.items():
        made.add(name, target)
    if any(made.escaping()) or made.leaves(path):
        return
    with tempfile.TemporaryDirectory() as base:
        root = Path(base).resolve() / "x" / "y"
        for folder in ("d/e", "d/\u2025", "\u2024"):
            (root / folder).mkdir(parents=True)
        for name, target in targets.items():
            (root / name).symlink_to(target.replace("$WS", str(root)))
        for name in (*targets, path):
            try:
                real = Path(os.path.realpath(root / name, strict=False))
            except OSError:
                continue
            assert real == root or root in real.parents
