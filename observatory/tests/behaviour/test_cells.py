"""The cells of the page show every text exactly. Of long texts that are compared, they show the part that differs."""

from readfirst.harness.report.markdown_escape import code
from readfirst.harness.suite.file_entry import Directory, Entry, RegularFile, Symlink
from readfirst.harness.suite.scenario import Clause, TextDigest
from readfirst.observatory.claims.evidence import Statement
from readfirst.observatory.claims.table_cells import MAX_ANSWER_CHARS, answer_cell, statement_and_answer_cells
from readfirst.observatory.template import anchor
from tests.rows import rows


def statement(
    clause: Clause | None,
    text: str = "",
    error: str | None = None,
    changes: dict[str, Entry | None] | None = None,
    *,
    states_files: bool = True,
) -> Statement:
    answer = Clause(error=error, text=text, files=changes or {})
    return Statement(1, "Edit", clause, states_files, answer=answer, status="holds")


@rows(
    ("text", "shown"),
    [
        ("plain", "`plain`"),
        ("two\nlines\ttab", "`two\\nlines\\ttab`"),
        ("a|b", "`a\\|b`"),
        ("a `b` c", "``a `b` c``"),
        ("a ``b`` c", "```a ``b`` c```"),
        ("`a", "`` `a ``"),
        ("  two spaces", "`   two spaces `"),
        ("end  ", "`end\\x20\\x20`"),
        ("\u00a0", "`\\u00a0`"),
        ("", "(empty)"),
    ],
)
def test_code_shows_every_character(text: str, shown: str) -> None:
    assert code(text) == shown


def test_an_anchor_is_what_github_makes_of_a_heading() -> None:
    assert anchor("The open questions, answered") == "the-open-questions-answered"


def test_of_long_texts_the_place_of_the_first_difference_is_shown() -> None:
    said, did = "a" * 3000 + "X" + "b" * 3000, "a" * 3000 + "Y" + "b" * 3000
    documented, real = statement_and_answer_cells(statement(Clause(text=said), did))
    assert "X" in documented
    assert "Y" in real
    assert len(documented) < MAX_ANSWER_CHARS + 80
    assert documented.startswith("answered: [2,880 characters] `")


def test_a_clause_that_changes_nothing_says_so() -> None:
    assert statement_and_answer_cells(statement(Clause(), "Done.", None))[0] == "answered: no file changes"


def test_files_that_a_claim_does_not_speak_of_are_not_reported() -> None:
    made = statement(Clause(text="x"), "x", None, {"a.txt": None}, states_files=False)
    assert statement_and_answer_cells(made) == ("answered: `x`", "answered: `x`")


def test_a_text_of_which_both_ends_are_stated_is_reported_by_both_ends() -> None:
    said, did = statement_and_answer_cells(
        statement(Clause(text=TextDigest(lines=2, starts="a", ends="z")), "a\ny")
    )
    assert (said, did) == ("answered: begins `a`, ends `z`", "answered: `a\\ny`")


@rows(
    ("entry", "words"),
    [
        (None, "nothing there"),
        (RegularFile(b""), "(empty)"),
        (RegularFile(b"caf\xe9"), "`caf\\\\xe9`"),
        (Symlink("$WS/b"), "a symbolic link to &#36;WS/b"),
        (Directory(), "a directory"),
    ],
)
def test_what_happens_to_a_path_is_reported(entry: Entry | None, words: str) -> None:
    assert answer_cell(statement(None, "x", None, {"a": entry})) == f"answered: `x`; `a` becomes {words}"


def test_what_was_not_recorded_is_reported_as_such() -> None:
    assert statement_and_answer_cells(Statement(1, "Edit", Clause(error="not_read"))) == (
        "refused (not_read)",
        "not recorded",
    )
