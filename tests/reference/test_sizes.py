"""Sizes: the first page of long files, in cases without a scenario."""

from readfirst.reference_impl.reading.read_limits import first_page


def test_a_single_long_line_is_cut_by_characters():
    page, notice = first_page("x" * 200_000, "{}\t")
    assert page == "x" * 85_000
    assert "showing the first 85000 of 200000 characters (50000 tokens, cap 25000)" in notice


def test_many_lines_are_cut_between_lines():
    page, notice = first_page("\n".join(["x" * 99] * 2_000), "{}\t")
    assert page.count("\n") + 1 == 850
    assert "showing lines 1-850 of 2000 total" in notice
    assert "offset=851 limit=850" in notice
