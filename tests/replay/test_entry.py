"""Content is expanded exactly as it is described."""

from readfirst.harness.suite.file_entry import Base64Content, TextContent
from tests.rows import rows


@rows("text", ["x\n", "{n}\n", "a{n}b", "{n}-{n};", "{n}", "{m}", ""])
@rows("times", [0, 1, 2, 12])
def test_a_repeated_text_is_numbered_from_one(text: str, times: int) -> None:
    expected = "".join(text.replace("{n}", str(number)) for number in range(1, times + 1))
    assert TextContent(text, times).data() == expected.encode()


@rows(
    ("content", "data"),
    [
        (TextContent("a\n", eol="crlf"), b"a\r\n"),
        (TextContent("a\n", eol="cr"), b"a\r"),
        (TextContent("é", encoding="latin-1"), b"\xe9"),
        (TextContent("a", bom=True), b"\xef\xbb\xbfa"),
        (TextContent("a\n", encoding="utf-16-be", bom=True, eol="crlf"), b"\xfe\xff\x00a\x00\r\x00\n"),
        (Base64Content("AA0K"), b"\x00\r\n"),
    ],
)
def test_encoding_line_ends_and_mark_are_applied(content: TextContent | Base64Content, data: bytes) -> None:
    assert content.data() == data
