"""Expected text: what a call must answer, and how that differs from what it answered."""

import hashlib

from readfirst.harness.compare.expected_files import FileDifference
from readfirst.harness.suite.host_text import without_outer_whitespace
from readfirst.harness.suite.scenario import TextDigest


def text_differences(
    expected: str | TextDigest | None, answer: str, raw: str, *, ignores_outer_whitespace: bool = False
) -> list[FileDifference]:
    """Compare an answer with the expected one, None where nothing is expected.

    `raw` is the text with the host's wrapping: one that equals what is expected as it came needs no unwrapping.
    `ignores_outer_whitespace`: a whole text may have other whitespace at both ends than the expected one.
    """
    match expected:
        case None:
            return []
        case str() if ignores_outer_whitespace and without_outer_whitespace(expected) in (
            without_outer_whitespace(answer),
            without_outer_whitespace(raw),
        ):
            return []
        case str():
            return [] if expected in (answer, raw) else [FileDifference("text", expected, answer)]
        case TextDigest(sha256, lines, starts, ends):
            differences = []
            if starts is not None and not answer.startswith(starts):
                differences.append(FileDifference("start of text", starts, answer[: len(starts)]))
            if ends is not None and not answer.endswith(ends):
                differences.append(FileDifference("end of text", ends, answer[-len(ends) :]))
            counted = answer.count("\n") + 1
            if lines is not None and counted != lines:
                differences.append(FileDifference("lines of text", str(lines), str(counted)))
            digest = hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()
            if sha256 is not None and digest != sha256:
                differences.append(FileDifference("sha256 of text", sha256, digest))
            return differences
