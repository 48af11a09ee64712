"""No path and no link of a scenario leads out of its workspace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readfirst.harness.suite.confinement import Links, call_leaves, path_problem


@pytest.mark.parametrize(
    "path",
    ["a", "a/b.txt", ".hidden", "...", "..a", "a..", "a b", "~", "$HOME", "ä/→.txt", "a" * 255, "-rf", "C:"],
)
def test_ordinary_names_are_paths(path: str) -> None:
    assert path_problem(path) is None


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            "/",
            "/etc/passwd",
            "..",
            "../a",
            "a/..",
            "a/../b",
            ".",
            "./a",
            "a/.",
            "a//b",
            "a/",
            "$WS",
            "$WS/a",
        ),
        *("a\\b", "a\0b", "\ud800", "a" * 256, "ä" * 128, "a/" * 600 + "a"),
    ],
)
def test_what_is_not_relative_and_plain_is_refused(path: str) -> None:
    assert path_problem(path)


@pytest.mark.parametrize(
    ("path", "leaves"),
    [
        ("$WS/a", False),
        ("$WS", False),
        ("$WS/a/../b", False),
        ("$WS//a", False),
        ("a.txt", False),
        ("./a", False),
        ("~/a", False),
        ("$WS/..", True),
        ("$WS/a/../../b", True),
        ("$WSX/a", True),
        ("/etc/hosts", True),
        ("../a", True),
        ("a/../../b", True),
    ],
)
def test_a_call_leaves_the_workspace_or_stays_inside(path: str, leaves: bool) -> None:
    assert call_leaves(path) is leaves


def links(**targets: str) -> Links:
    made = Links()
    for name, target in targets.items():
        made.add(name.replace("__", "/"), target)
    return made


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "made",
    [
        links(a=".."),
        links(a="/etc"),
        links(a="$WSX"),
        links(a="$WS/.."),
        links(a="d/../../b"),
        links(d__up="..", d__a="up/../b"),
        links(d__up="$WS", d__a="up/../b"),
        links(a="b/..", b="d/e/f", d__e="$WS"),
    ],
)
def test_links_that_lead_out_are_refused(made: Links) -> None:
    if made.target("b") == "d/e/f":
        assert list(made.escaping()) == []  # d/e is the workspace, so b is $WS/f and a is $WS
        made.add("f", "..")
    assert list(made.escaping())


def test_a_moved_link_may_lead_out_and_a_deleted_one_is_gone() -> None:
    made = links(d__e__a="../../b")
    assert not list(made.escaping())
    made.rename("d/e", "e")
    assert made.target("e/a") == "../../b"
    assert list(made.escaping()) == ["e/a"]
    assert made.through("e/a/c") == "e/a"
    assert made.through("e/a") is None
    made.delete("e")
    assert not made


PARTS = st.sampled_from(["a", "b", "..", "."])
TARGETS = st.one_of(
    st.lists(PARTS, min_size=1, max_size=4).map("/".join),
    st.lists(PARTS, max_size=3).map(lambda parts: "/".join(["$WS", *parts])),
)
PLACES = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a"])


@given(st.dictionaries(PLACES, TARGETS, max_size=4))
def test_no_link_that_passes_leads_out_on_disk(
    tmp_path_factory: pytest.TempPathFactory, targets: dict[str, str]
) -> None:
    made = Links()
    for name, target in targets.items():
        made.add(name, target)
    escaping = set(made.escaping())
    root = tmp_path_factory.mktemp("w") / "x" / "y"
    (root / "d/e").mkdir(parents=True)
    for name, target in targets.items():
        (root / name).symlink_to(target.replace("$WS", str(root)))
    for name in targets:
        try:
            real = Path(os.path.realpath(root / name, strict=False))
        except OSError:
            continue
        if name not in escaping:
            assert real == root or root in real.parents
