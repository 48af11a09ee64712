from readfirst.reference_impl.reading.images import is_whole, media_type, refuse_without_size

FRAME = b"\xff\xc0\x00\x11\x08\x00\x01\x00\x01\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01"
"""The part of a JPEG image that contains its size."""
START = b"\xff\xd8\xff\xe0\x00\x04ab"


def test_bytes_between_the_segments_of_a_jpeg_image_are_skipped() -> None:
    refuse_without_size(START + b"\x00" + FRAME)


def test_an_image_is_complete_if_it_contains_its_end_mark():
    images = [b"\x89PNG IDAT", START + b"\xff\xd9", b"GIF89a;", b"RIFF\x04\x00\x00\x00WEBP"]
    assert all(map(is_whole, images))
    assert not any(is_whole(image[:-1]) for image in images)
    assert not is_whole(b"text")
    assert media_type(b"text") is None
