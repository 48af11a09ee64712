"""Deny rules and paths: what is closed, and which file a path means."""

from __future__ import annotations

import pytest

from readfirst.reference_impl import FileTools, Refusal
from readfirst.reference_impl.session.paths import expanded, resolved
from readfirst.reference_impl.session.permissions import DenyRules, PermissionRuleError

DENIED = "File is in a directory that is denied by your permission settings."


@pytest.mark.parametrize(
    ("pattern", "closed", "open_"),
    [
        ("p/**", ["p/x", "p/s/x", "n/p/x", "p"], ["px", "q/x"]),
        ("p", ["p/x", "n/p/s/x"], ["px"]),
        ("p/", ["p/x", "n/p/x"], ["p"]),
        ("./p/**", ["p/x", "n/p/x"], ["q"]),
        ("p/*", ["p/x", "p/s/x"], ["n/p/x"]),
        ("p/**/x", ["p/x", "p/s/x"], ["n/p/x", "p/s/y"]),
        ("p/*.tx?", ["p/a.txt"], ["p/s/a.txt", "p/a.tx"]),
        ("P/**", ["p/X", "P/x"], []),
        ("[ab].txt", ["a.txt", "n/b.txt"], ["c.txt"]),
        ("[!a].txt", ["!.txt", "a.txt"], ["b.txt"]),
        ("[^a].txt", ["^.txt", "a.txt"], ["b.txt"]),
        (r"[\w].txt", ["a.txt", "7.txt"], ["-.txt"]),
        ("[z-a].txt", [], ["a.txt", "z.txt"]),
        ("**/x.txt", ["x.txt", "n/x.txt"], ["y.txt"]),
        ("p/s/**", ["p/s/x"], ["p/x", "n/p/s/x"]),
        ("*/p/x", ["n/p/x"], ["p/x", "n/m/p/x"]),
        ("p/x ", ["p/x"], ["p/x "]),
        (" p/x", [" p/x"], ["p/x"]),
        ("p/x/", ["p/x/y"], ["p/x"]),
        (r"p/\*", ["p/*"], ["p/x"]),
        ("p/{a,b}", ["p/{a,b}"], ["p/a"]),
        ("#p", [], ["#p", "p"]),
        ("p/**x", ["p/x", "p/ax"], ["p/s/x"]),
        ("!p/**", [], ["p/x"]),
        ("(a)/x", ["(a)/x"], ["a/x"]),
        ("../out", [], ["out"]),
        ("//base/p/**", ["p/x"], ["n/p/x"]),
        ("//other/**", [], ["p/x"]),
        ("~/p/**", [], ["p/x"]),
    ],
)
def test_a_pattern_is_written_as_in_a_gitignore_file(pattern, closed, open_):
    permissions = DenyRules([f"Read({pattern})"], root="/base", home="/home/me")
    assert [path for path in closed if not permissions.denies("Read", f"/base/{path}")] == []
    assert [path for path in open_ if permissions.denies("Read", f"/base/{path}")] == []


def test_a_later_pattern_may_open_a_file_again_but_not_below_a_closed_directory():
    rules = ["Read(*.txt)", "Read(!a.txt)", "Read(p/**)", "Read(!p/b.md)"]
    permissions = DenyRules(rules, root="/base", home="/home/me")
    assert [name for name in ("a.txt", "b.txt", "p/b.md") if permissions.denies("Read", f"/base/{name}")] == [
        "b.txt",
        "p/b.md",
    ]


def test_a_pattern_with_a_tilde_begins_at_home():
    permissions = DenyRules(["Edit(~/p/**)"], root="/base", home="/home/me")
    assert permissions.denies("Edit", "/home/me/p/x")
    assert not permissions.denies("Edit", "/home/you/p/x")


def test_files_outside_the_root_are_not_covered_by_its_rules():
    assert not DenyRules(["Read(**)"], root="/base", home="/home/me").denies("Read", "/elsewhere/x")


def test_rules_for_read_and_for_edit_are_apart_and_rules_for_write_do_nothing(make_tools, put):
    put("r/a.txt")
    put("e/a.txt")
    put("w/a.txt")
    tools = make_tools(deny=("Read(r/**)", "Edit(e/**)", "Write(w/**)"))
    with pytest.raises(Refusal, match=DENIED):
        tools.read("r/a.txt")
    tools.read("e/a.txt")
    for change in (lambda: tools.edit("e/a.txt", "alpha", "x"), lambda: tools.write("e/a.txt", "x")):
        with pytest.raises(Refusal, match=DENIED):
            change()
    tools.read("w/a.txt")
    tools.write("w/a.txt", "x")


def test_a_denied_missing_file_is_not_said_to_be_missing(make_tools):
    with pytest.raises(Refusal, match=DENIED):
        make_tools(deny=("Read(secret/**)",)).read("secret/missing.txt")


def test_a_rule_without_a_pattern_takes_the_tool_away(make_tools):
    tools = make_tools(deny=("Write",))
    assert [schema.tool for schema in tools.schemas] == ["Read", "Edit", "NotebookEdit"]
    assert (
        tools.call("Write", {"file_path": "a", "content": ""}).text == "Error: No such tool available: Write"
    )


def test_a_link_to_a_denied_file_is_refused_last(make_tools, put, root):
    put("secret/a.txt")
    (root / "link").symlink_to("secret/a.txt")
    tools = make_tools(deny=("Edit(secret/**)",))
    tools.read("link")
    with pytest.raises(Refusal, match="String to replace not found"):
        tools.edit("link", "absent", "x")
    with pytest.raises(Refusal, match="Permission to edit link has been denied") as refused:
        tools.edit("link", "alpha", "x")
    assert (refused.value.name, refused.value.code) == ("permission_denied", None)
    assert (root / "secret/a.txt").read_text() == "alpha\nbeta\n"


def test_a_link_to_a_file_that_must_not_be_read_is_refused(make_tools, put, root):
    put("secret/a.txt")
    (root / "link").symlink_to("secret/a.txt")
    with pytest.raises(Refusal, match=f"Permission to read {root}/link has been denied."):
        make_tools(deny=("Read(secret/**)",)).read(f"{root}/link")


@pytest.mark.parametrize("rule", ["", "Edit(", "(secret)", "Edit secret", "7(x)"])
def test_what_is_no_rule_is_said_so(tmp_path, rule):
    with pytest.raises(PermissionRuleError, match="is not a permission rule: write Tool or Tool"):
        FileTools(root=tmp_path, deny=[rule])


@pytest.mark.parametrize(
    ("path", "absolute"),
    [
        ("a", "/r/a"),
        ("", "/r"),
        ("/a/./b/../c", "/a/c"),
        ("//a", "/a"),
        ("a/", "/r/a/"),
        ("/", "/"),
        ("/..", "/"),
        ("../a", "/a"),
        ("~/a", "/r/~/a"),
    ],
)
def test_a_path_is_folded_without_following_links(path, absolute):
    assert resolved(path, "/r", folds=True) == absolute


@pytest.mark.parametrize(
    ("path", "meant"),
    [(" a\n", "a"), ("\u3000a", "a"), ("~", "/h"), ("~/a", "/h/a"), ("~a", "~a"), ("a/~", "a/~")],
)
def test_edit_and_write_cut_blanks_and_know_home(path, meant):
    assert expanded(path, "/h") == meant


def test_read_takes_blanks_and_the_tilde_for_names(tools, put, tmp_path):
    put("a.txt")
    (tmp_path / "home/b.txt").write_text("x")
    tools.write("~/c.txt", "x")
    assert (tmp_path / "home/c.txt").read_text() == "x"
    for path in (" a.txt", "~/b.txt"):
        with pytest.raises(Refusal, match="File does not exist"):
            tools.read(path)
