"""Decode the bytes of a file to a text, so that the text can be encoded to the same bytes again."""

import re
from dataclasses import dataclass
from typing import Self

_ENCODINGS_BY_MARK = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Content:
    """A file's decoded text, encoding and byte order mark. Invalid bytes become lone surrogates."""

    mark: bytes
    encoding: str
    text: str

    @classmethod
    def of(cls, data: bytes) -> Self:
        """Decode the bytes of a file: in the encoding of the byte order mark, otherwise as UTF-8."""
        for mark, encoding in _ENCODINGS_BY_MARK:
            if data.startswith(mark):
                try:
                    return cls(mark, encoding, data[len(mark) :].decode(encoding, _error_handler(encoding)))
                except UnicodeDecodeError:
                    break
        return cls(b"", "utf-8", data.decode("utf-8", "surrogateescape"))

    def data(self, text: str) -> bytes:
        """Encode a text with the byte order mark and the encoding of this file."""
        try:
            return self.mark + text.encode(self.encoding, _error_handler(self.encoding))
        except UnicodeEncodeError:  # a requested lone surrogate has no bytes
            return self.mark + _LONE_SURROGATE.sub("\ufffd", text).encode(self.encoding)

    @property
    def is_crlf(self) -> bool:
        """Whether the text has line ends, and all of them are CRLF."""
        count = self.text.count("\r\n")
        return count > 0 and count == self.text.count("\n")

    @property
    def lines(self) -> list[str]:
        """The lines of the text without their line ends (LF or CRLF). Empty for an empty file."""
        lines = self.text.replace("\r\n", "\n").split("\n")
        return lines if lines[-1] else lines[:-1]


def split_pieces(text: str) -> list[str]:
    """Split a text at line ends of any kind. A lone CR is also a line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def with_line_ends(text: str, end: str) -> str:
    """Return the text with all line ends (LF and CRLF) replaced by `end`."""
    return text.replace("\r\n", "\n").replace("\n", end)


def _error_handler(encoding: str) -> str:
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"
