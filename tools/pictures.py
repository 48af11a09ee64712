"""Pictures: take one of the HTML report or of a page of the site, as README and docs show it, with a real Chromium.

    python3 tools/pictures.py table.html --width 1440 --height 1560 --output docs/implementations.png
    python3 tools/pictures.py a.jsonl b.jsonl --output docs/report-light.png
    python3 tools/pictures.py a.jsonl b.jsonl --scenario gate/edit-unread --dark --output docs/report-dark.png
    python3 tools/pictures.py results/*.jsonl --level effects --output families.png

The report is made of result streams; a page of its own is shown as its window is when it opens.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

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
const margin = 12; // pixels around what is shown
return [above.left + scrollX - margin, above.top + scrollY - margin,
  Math.max(above.width, below.width) + 2 * margin, below.bottom - above.top + 2 * margin];
"""
WINDOW = (
    "document.getAnimations().forEach(running => running.finish()); return [0, 0, innerWidth, innerHeight];"
)


def main() -> int:
    """Write one picture; exit code 1 without a Chromium, or for a stream that is not whole."""
    parser = argparse.ArgumentParser(
        description="Take a picture of the HTML report of result streams, or of a page."
    )
    parser.add_argument(
        "streams", nargs="+", type=Path, help="Results that --format jsonl wrote, or one HTML file."
    )
    parser.add_argument("--output", type=Path, required=True, help="The PNG file to write.")
    parser.add_argument("--level", default="", help="Show the matrix of families and runs at this level.")
    parser.add_argument("--scenario", default="", help="Show this scenario, opened.")
    parser.add_argument("--dark", action="store_true", help="As readers see it who prefer dark pages.")
    parser.add_argument("--width", type=int, default=1440, help="Pixels.")
    parser.add_argument("--height", type=int, default=1000, help="Pixels, of the window of a page.")
    given = parser.parse_args()
    browsers = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    programs = [next(filter(None, browsers), None), shutil.which("chromedriver")]
    if None in programs:
        print(
            "chromium and chromedriver are needed: apt-get install chromium chromium-driver", file=sys.stderr
        )
        return 1
    own = len(given.streams) == 1 and given.streams[0].suffix == ".html"
    with tempfile.TemporaryDirectory() as folder:
        page = given.streams[0].resolve() if own else Path(folder) / "report.html"
        try:
            if not own:
                perform_report(Suite(), given.streams, "html", page)
            elif not page.is_file():
                parser.error(
                    f"there is no page {given.streams[0]}; `readfirst field site --output site` makes some"
                )
        except (StreamError, UnreadableStreamError) as error:
            print(error, file=sys.stderr)
            return 1
        picture = taken(page, given, WINDOW if own else SHOWN, Path(folder), *map(str, programs))
    given.output.write_bytes(picture)
    print(f"wrote {given.output}")
    return 0


def taken(
    page: Path, given: argparse.Namespace, shown: str, folder: Path, chromium: str, chromedriver: str
) -> bytes:
    """Open the page, with a profile in the folder, and return a picture of what the script `shown` finds."""
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    driver = Chrome(options=options, service=Service(chromedriver))
    try:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if given.dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        screen = {"width": given.width, "height": given.height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.set_page_load_timeout(300)
        driver.get(page.as_uri())
        left, top, width, height = driver.execute_script(shown, given.scenario, given.level)
        clip = {"x": max(0, left), "y": max(0, top), "width": width, "height": height, "scale": 1}
        shot: dict[str, Any] = driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True}
        )
    finally:
        driver.quit()
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    sys.exit(main())
