import pytest

from readfirst.reference_impl.reading.images import (
    is_whole,
    media_type,
    refuse_other_content,
    refuse_without_size,
)
from readfirst.reference_impl.reading.read_limits import first_page
from readfirst.reference_impl.refusal import Refusal
from tests.rows import rows

FRAME = b"\xff\xc0\x00\x11\x08\x00\x01\x00\x01\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01"
"""The part of a JPEG image that contains its size."""
START = b"\xff\xd8\xff\xe0\x00\x04ab"


@pytest.mark.parametrize(
    "rest", [b"", b"\xff\xc4\x00\x03c", FRAME[:9]], ids=["nothing", "a table", "the end of a frame"]
)
def test_a_jpeg_image_without_a_frame_has_no_size(rest: bytes) -> None:
    with pytest.raises(Refusal, match="dimensions could not be read"):
        refuse_without_size(START + rest)


def test_bytes_between_the_segments_of_a_jpeg_image_are_skipped() -> None:
    refuse_without_size(START + b"\x00" + FRAME)


@rows("text", [b"<HTML>", b" \n<!DOCTYPE html>", b"x<html>"])
def test_an_html_page_is_not_an_image(text):
    with pytest.raises(Refusal, match="Detected: HTML document"):
        refuse_other_content(text, "a.png")


def test_an_image_is_complete_if_it_contains_its_end_mark():
    images = [b"\x89PNG IDAT", START + b"\xff\xd9", b"GIF89a;", b"RIFF\x04\x00\x00\x00WEBP"]
    assert all(map(is_whole, images))
    assert not any(is_whole(image[:-1]) for image in images)
    assert not is_whole(b"text")
    assert media_type(b"text") is None


def test_a_long_file_is_truncated_between_lines_or_else_between_characters() -> None:
    page, notice = first_page("x" * 200_000, "{}\t")
    assert page == "x" * 85_000
    assert "showing the first 85000 of 200000 characters (50000 tokens, cap 25000)" in notice
    page, notice = first_page("\n".join(["x" * 99] * 2_000), "{}\t")
    assert page.count("\n") + 1 == 850
    assert "showing lines 1-850 of 2000 total" in notice
    assert "offset=851 limit=850" in notice
