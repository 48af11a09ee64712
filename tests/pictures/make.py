"""Pictures: take one of the HTML report, as README and docs show it, from result streams and with a real Chromium.

    python3 tests/pictures/make.py results/*.jsonl --level effects --output docs/implementations.png
    python3 tests/pictures/make.py a.jsonl b.jsonl --output docs/report-light.png
    python3 tests/pictures/make.py a.jsonl b.jsonl --scenario gate/edit-unread --dark --output docs/report-dark.png

Needs the extra `browser`, chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from readfirst.harness.report.stream import StreamError, UnreadableStreamError
from readfirst.harness.run.command import perform_report
from readfirst.harness.suite.suite import Suite

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
    "--hide-scrollbars",  # a picture has none, and without them lines wrap elsewhere
)
MARGIN = 12
"""Pixels around what is shown."""
SHOWN = """
const [scenario, level] = arguments;
const rules = document.getElementById("rules");
if (rules) rules.closest("section").hidden = true; // hundreds of rows, which no picture shows
if (level) {
  const select = document.getElementById("shown");
  select.value = level;
  select.dispatchEvent(new Event("change"));
}
if (scenario) {
  document.getElementById(scenario).querySelector("button").click();
}
const first = scenario ? document.getElementById(scenario)
  : level ? document.getElementById("families").closest("section") : document.querySelector("header");
const last = scenario ? document.getElementById(`details-of-${scenario}`)
  : document.getElementById("families").closest("section");
const above = first.getBoundingClientRect(), below = last.getBoundingClientRect();
return [above.left + scrollX, above.top + scrollY, Math.max(above.width, below.width), below.bottom - above.top];
"""


def main() -> int:
    """Write one picture; exit code 1 without a Chromium, or for a stream that is not whole."""
    parser = argparse.ArgumentParser(description="Take a picture of the HTML report of result streams.")
    parser.add_argument("streams", nargs="+", type=Path, help="Results that --format jsonl wrote.")
    parser.add_argument("--output", type=Path, required=True, help="The PNG file to write.")
    parser.add_argument("--level", default="", help="Show the matrix of families and runs at this level.")
    parser.add_argument("--scenario", default="", help="Show this scenario, opened.")
    parser.add_argument("--dark", action="store_true", help="As readers see it who prefer dark pages.")
    parser.add_argument("--width", type=int, default=1440, help="Pixels.")
    given = parser.parse_args()
    browsers = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    programs = [next(filter(None, browsers), None), shutil.which("chromedriver")]
    if None in programs:
        print(
            "chromium and chromedriver are needed: apt-get install chromium chromium-driver", file=sys.stderr
        )
        return 1
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        try:
            perform_report(Suite(), given.streams, "html", page)
        except (StreamError, UnreadableStreamError) as error:
            print(error, file=sys.stderr)
            return 1
        picture = taken(page, given, *map(str, programs))
    given.output.write_bytes(picture)
    print(f"wrote {given.output}")
    return 0


def taken(page: Path, given: argparse.Namespace, chromium: str, chromedriver: str) -> bytes:
    """Open the page and return a picture of what is asked for."""
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--window-size={given.width},1000", f"--user-data-dir={page.parent / 'profile'}"):
        options.add_argument(flag)
    driver = Chrome(options=options, service=Service(chromedriver))
    try:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if given.dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        driver.set_page_load_timeout(300)
        driver.get(page.as_uri())
        left, top, width, height = driver.execute_script(SHOWN, given.scenario, given.level)
        clip = {
            "x": max(0, left - MARGIN),
            "y": max(0, top - MARGIN),
            "width": width + 2 * MARGIN,
            "height": height + 2 * MARGIN,
            "scale": 1,
        }
        shot: dict[str, Any] = driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True}
        )
    finally:
        driver.quit()
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    sys.exit(main())
