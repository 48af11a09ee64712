"""Content: the bytes of a file as text that turns back into the same bytes."""

import re
from dataclasses import dataclass
from typing import Self

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Content:
    """A file's text, the byte order mark before it (empty where there is none), and its encoding.

    Bytes that are no text become lone surrogates, so that nothing is lost on the way.
    """

    mark: bytes
    encoding: str
    text: str

    @classmethod
    def of(cls, data: bytes) -> Self:
        """Read bytes; what has no mark, or is no text by its mark, is taken for UTF-8."""
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                try:
                    return cls(mark, encoding, data[len(mark) :].decode(encoding, _errors(encoding)))
                except UnicodeDecodeError:
                    break
        return cls(b"", "utf-8", data.decode("utf-8", "surrogateescape"))

    def data(self, text: str) -> bytes:
        """Return the bytes of another text, marked and encoded as this one."""
        try:
            return self.mark + text.encode(self.encoding, _errors(self.encoding))
        except UnicodeEncodeError:  # a lone surrogate that was asked for has no bytes of its own
            return self.mark + _LONE_SURROGATE.sub("\ufffd", text).encode(self.encoding)

    @property
    def is_crlf(self) -> bool:
        """Whether it has line ends, and all are CRLF."""
        count = self.text.count("\r\n")
        return count > 0 and count == self.text.count("\n")

    @property
    def lines(self) -> list[str]:
        """The lines without their ends (LF or CRLF); of an empty file none."""
        lines = self.text.replace("\r\n", "\n").split("\n")
        return lines if lines[-1] else lines[:-1]


def pieces(text: str) -> list[str]:
    """Return what is between line ends of any kind, also a lone CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def with_line_ends(text: str, end: str) -> str:
    """Return the text with all its line ends, LF and CRLF, made the same."""
    return text.replace("\r\n", "\n").replace("\n", end)


def _errors(encoding: str) -> str:
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"
