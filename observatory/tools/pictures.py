"""Make the pictures in README and docs with Chromium.

    python3 observatory/tools/pictures.py [--site DIR]

Runs the reference and a published implementation, which requires npm and node. Without `--site`, also generates the
site. Requires the extra `browser`, chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from readfirst.harness.run.run_command import perform_report
from readfirst.harness.suite.suite import Suite

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-lcd-text",  # a picture is seen on other screens, too, and grey letters are fewer bytes
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
    "--hide-scrollbars",  # a picture has none, and without them lines wrap elsewhere
)
SHOWN = """
const [scenario] = arguments;
const rules = document.getElementById("rules");
if (rules) rules.closest("section").hidden = true; // hundreds of rows, which no picture shows
if (scenario) {
  document.getElementById(scenario).querySelector("button").click();
}
const first = scenario ? document.getElementById(scenario) : document.querySelector("header");
const last = scenario ? document.getElementById(`details-of-${scenario}`)
  : document.getElementById("families").closest("section");
const above = first.getBoundingClientRect(), below = last.getBoundingClientRect();
const margin = 12; // pixels around what is shown
return [above.left + scrollX - margin, above.top + scrollY - margin,
  Math.max(above.width, below.width) + 2 * margin, below.bottom - above.top + 2 * margin];
"""
"""A script that runs in the HTML report: it opens a scenario, and returns the rectangle that the picture shows."""
TERMINAL = """
const lines = document.querySelector("pre").getBoundingClientRect();
return [0, 0, lines.right + 16, lines.bottom + 16];
"""
WINDOW = """
const still = new CSSStyleSheet();
still.replaceSync("*, ::before, ::after { transition: none !important; animation: none !important }");
document.adoptedStyleSheets = [still];
return [0, scrollY, innerWidth, innerHeight];
"""
COLUMNS = 118
"""Width of the terminal that pictures show, in characters."""
DOCS = Path(__file__).resolve().parents[2] / "docs"
TARGET = "server-filesystem@2026.8.31"
"""The published implementation whose results the pictures show next to the results of the reference."""
FAMILIES = ("gate", "matching", "staleness")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pictures. Return 1 without Chromium, otherwise the exit code of the first failed command, or 0."""
    parser = argparse.ArgumentParser(description="Take the pictures of docs.")
    parser.add_argument(
        "--site", type=Path, help="The directory of a site that `readfirst targets site` wrote."
    )
    site = parser.parse_args(arguments).site
    if site is not None and not (site / "index.html").is_file():
        parser.error(f"there is no site in {site}; `readfirst targets site --output site` makes one")
    browsers = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    chromium, chromedriver = next(filter(None, browsers), None), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        print(
            "chromium and chromedriver are needed: apt-get install chromium chromium-driver", file=sys.stderr
        )
        return 1
    with tempfile.TemporaryDirectory() as work, open_chromium(Path(work), chromium, chromedriver) as driver:
        return every_picture(driver, Path(work), site)


def every_picture(driver: Any, work: Path, site: Path | None) -> int:
    """Write all pictures of README and docs. Return the exit code of the first failed readfirst command, or 0."""
    streams = [work / f"{number}.jsonl" for number in range(2)]
    chosen = [word for family in FAMILIES for word in ("--family", family)]
    accepted = work / "accepted.yaml"  # nothing: a picture shows all that fails
    accepted.write_text(f"name: target:{TARGET}\naccepted: []\n", "utf-8")
    runs = (["reference"], [f"target:{TARGET}", "--baseline", str(accepted)])
    for target, stream in zip(runs, streams, strict=True):
        code = readfirst(
            "run", *target, *chosen, "--level", "effects", "--format", "jsonl", "--output", str(stream)
        )
        if code not in (0, 1):
            return code
    if site is None:
        site = work / "site"
        if code := readfirst("targets", "site", "--output", str(site)):
            return code
    card = site / "implementations" / f"{TARGET}.html"
    for name, picture in {
        "run": picture_of_terminal(driver, work, streams[1:]),
        "report-light": picture_of_report(driver, work, streams, width=1440),
        "report-dark": picture_of_report(
            driver, work, streams, width=1000, scenario="gate/write-unread", dark=True
        ),
        "site-home": picture_of_page(driver, site / "index.html", 1180, 760),
        "site-home-phone": picture_of_page(driver, site / "index.html", 390, 844),
        "site-implementation": picture_of_page(driver, card, 1180, 860, dark=True),
        "site-version": picture_of_page(driver, site / "versions" / "2.1.228.html", 1180, 760),
        "table": picture_of_page(driver, site / "table.html", 1180, 720),
    }.items():
        write(DOCS / f"{name}.png", picture)
    return 0


def readfirst(*words: str) -> int:
    """Run readfirst with these arguments, and return its exit code."""
    return subprocess.run(
        [sys.executable, "-m", "readfirst", *words], cwd=DOCS.parent, check=False
    ).returncode


def write(file: Path, picture: bytes) -> None:
    file.write_bytes(picture)
    print(f"wrote {file}")


def picture_of_page(driver: Any, page: Path, width: int, height: int, *, dark: bool = False) -> bytes:
    """Return a picture of a page in a browser window of this width and height."""
    return take_picture(driver, page, width, height, WINDOW, dark=dark)


def picture_of_terminal(driver: Any, work: Path, streams: Sequence[Path]) -> bytes:
    """Return a picture of a terminal that shows the output of `readfirst report` for the results files `streams`."""
    page = work / "terminal.html"
    page.write_text(terminal(streams), "utf-8")
    return take_picture(driver, page, 1440, 1000, TERMINAL)


def picture_of_report(
    driver: Any,
    work: Path,
    streams: Sequence[Path],
    *,
    width: int,
    scenario: str = "",
    dark: bool = False,
) -> bytes:
    """Return a picture of the HTML report: its top or, if `scenario` is specified, the details of this scenario."""
    page = work / "report.html"
    perform_report(Suite(), streams, "html", page)
    return take_picture(driver, page, width, 1000, SHOWN, scenario, dark=dark)


def terminal(streams: Sequence[Path]) -> str:
    """Return an HTML page that looks like a terminal with the output of `readfirst report` for these results files."""
    from rich.console import Console
    from rich.terminal_theme import MONOKAI
    from rich.text import Text

    command = [
        sys.executable,
        "-m",
        "readfirst",
        "report",
        *map(str, streams),
        "--format",
        "table",
        "--failures",
        "0",
    ]
    printed = subprocess.run(
        command,
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    ).stdout
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(printed))
    return console.export_html(
        theme=MONOKAI,
        code_format="<!doctype html><meta charset=utf-8><style>body {{ margin: 16px; color: {foreground};"
        " background: {background}; font: 14px/1.4 ui-monospace, 'DejaVu Sans Mono', monospace }}"
        " pre {{ margin: 0; width: max-content; font: inherit }} {stylesheet}</style><pre>{code}</pre>",
    )


@contextmanager
def open_chromium(folder: Path, chromium: str, chromedriver: str) -> Iterator[Any]:
    """Start Chromium with a new profile in `folder`, yield the Selenium driver, and quit Chromium at the end."""
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    driver = Chrome(options=options, service=Service(chromedriver))
    driver.set_page_load_timeout(300)
    try:
        yield driver
    finally:
        driver.quit()


def take_picture(
    driver: Any,
    page: Path,
    width: int,
    height: int,
    shown: str,
    *words: str,
    dark: bool = False,
) -> bytes:
    """Return a PNG of a part of a page: the rectangle that the script `shown` returns for the arguments `words`."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    driver.get(page.resolve().as_uri())
    left, top, wide, high = driver.execute_script(shown, *words)
    clip = {"x": max(0, left), "y": max(0, top), "width": wide, "height": high, "scale": 1}
    shot: dict[str, Any] = driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True}
    )
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    sys.exit(main())
