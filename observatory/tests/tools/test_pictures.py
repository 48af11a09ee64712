"""Pictures of README and docs show a part of a report, or a page as its window does."""

import importlib.util
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.run.run_command import RunRequest, perform
from readfirst.harness.suite.selection import Selection
from readfirst.harness.suite.suite import Suite

MAKE = Path(__file__).parents[2] / "tools" / "pictures.py"
SPEC = importlib.util.spec_from_file_location("pictures", MAKE)
assert SPEC is not None
assert SPEC.loader is not None
pictures = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(pictures)
pytestmark = pytest.mark.browser


def size(picture: bytes) -> tuple[int, int]:
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
    with pictures.open_chromium(tmp_path, chromium, shutil.which("chromedriver")) as opened:
        yield opened


def test_a_picture_shows_the_top_of_a_report_or_one_scenario(driver: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    chosen = Selection(ids=("gate/edit-unread", "matching/unique-match"))
    perform(RunRequest(Suite(), "reference", lambda: "1.0", selection=chosen, format="jsonl", output=file))
    whole = size(pictures.picture_of_report(driver, tmp_path, [file], width=1440))
    shown = {"width": 900, "scenario": "gate/edit-unread", "dark": True}
    scenario = size(pictures.picture_of_report(driver, tmp_path, [file], **shown))
    assert scenario[0] < 900 < whole[0]
    assert scenario != whole
    assert size(pictures.picture_of_terminal(driver, tmp_path, [file]))[1] > 100


def test_a_picture_shows_a_page_as_its_window_does(driver: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><title>t</title><body style='margin:0; height:5000px'>text</body>")
    assert size(pictures.picture_of_page(driver, page, 390, 844)) == (390, 844)
