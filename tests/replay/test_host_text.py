"""The wrapping that a host program puts around a tool's answer is removed; all other text stays."""

from readfirst.harness.suite.unwrap_host_text import answer_of
from tests.rows import rows

REMINDER = "\n\n<system-reminder>\nThink of it.\n</system-reminder>\n"


@rows(
    ("raw", "answer"),
    [
        ("plain", "plain"),
        ("", ""),
        ("<tool_use_error>No.</tool_use_error>", "No."),
        ("<tool_use_error>two\nlines\n</tool_use_error>", "two\nlines\n"),
        ("     1→a\n     2→" + REMINDER, "     1→a\n     2→"),
        ("     1→a" + REMINDER + REMINDER, "     1→a"),
        ("<tool_use_error>No.</tool_use_error>" + REMINDER, "No."),
        ("a\n\n\n" + REMINDER.lstrip(), "a\n"),
    ],
)
def test_wrapping_is_taken_off(raw: str, answer: str) -> None:
    assert answer_of(raw) == answer


@rows(
    "text",
    [
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
        "     1→<system-reminder>\n     2→x</system-reminder>",
        "     1→a <system-reminder>x</system-reminder>",
        "<tool_use_error>half",
        "half</tool_use_error>",
        "x</system-reminder>",
        "<system-reminder>x</system-reminder>\nfollowed by text",
        "<tool_use_error>",
    ],
)
def test_what_is_the_answer_itself_stays(text: str) -> None:
    assert answer_of(text) == text
