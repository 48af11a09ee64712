"""One command generates the pictures in README and docs from the given files."""

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from readfirst.harness.run.run_command import RunRequest, perform
from readfirst.harness.suite.selection import Selection
from readfirst.harness.suite.suite import Suite

MAKE = Path(__file__).parents[2] / "tools" / "pictures.py"


def size(picture: Path) -> tuple[int, int]:
    data = picture.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    file = tmp_path / "run.jsonl"
    chosen = Selection(ids=("gate/edit-unread", "matching/unique-match"))
    perform(RunRequest(Suite(), "reference", lambda: "1.0", selection=chosen, format="jsonl", output=file))
    return file


@pytest.mark.browser
def test_a_picture_shows_the_matrix_or_one_scenario(stream: Path, tmp_path: Path) -> None:
    def make_picture(name: str, *words: str) -> tuple[int, int]:
        command = [sys.executable, str(MAKE), str(stream), *words, "--output", str(tmp_path / name)]
        subprocess.run(command, check=True, timeout=120)
        return size(tmp_path / name)

    whole = make_picture("whole.png")
    matrix = make_picture("matrix.png", "--level", "effects")
    scenario = make_picture("scenario.png", "--scenario", "gate/edit-unread", "--dark", "--width", "900")
    assert whole[1] > matrix[1] > 100
    assert scenario[0] < 900 < matrix[0]


@pytest.mark.browser
def test_a_stream_that_was_cut_off_gives_no_picture(stream: Path, tmp_path: Path) -> None:
    stream.write_text("".join(stream.read_text().splitlines(keepends=True)[:-1]))
    command = [sys.executable, str(MAKE), str(stream), "--output", str(tmp_path / "none.png")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode != 0
    assert "the stream ends without its footer" in ended.stderr
    assert not (tmp_path / "none.png").exists()


@pytest.mark.browser
def test_a_picture_shows_a_page_as_its_window_does(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><title>t</title><body style='margin:0; height:5000px'>text</body>")
    command = [sys.executable, str(MAKE), str(page), "--width", "390", "--height", "844"]
    subprocess.run([*command, "--output", str(tmp_path / "page.png")], check=True, timeout=120)
    assert size(tmp_path / "page.png") == (390, 844)


@pytest.mark.browser
def test_a_page_that_does_not_exist_gives_no_picture(tmp_path: Path) -> None:
    command = [sys.executable, str(MAKE), str(tmp_path / "none.html"), "--output", str(tmp_path / "none.png")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 2
    assert "there is no page" in ended.stderr
    assert not (tmp_path / "none.png").exists()
