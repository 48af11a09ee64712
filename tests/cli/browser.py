from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1280,900"),
)
"""No window, and no requests that Chromium makes for itself."""


WIDTH, HEIGHT = 1280, 900
PHONE = 390
WEAK_TEXT = """
const found = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const silent = ["SCRIPT", "STYLE", "OPTION", "NOSCRIPT"].includes(element.tagName);
  if (!own || silent || !element.checkVisibility({opacityProperty: true})) continue;
  const contrast = ratio(over(element), back(element));
  if (contrast < 4.5) found.push([element.className || element.tagName, element.textContent.slice(0, 30), contrast]);
}
return found;
"""
"""A script for `run_script`. It returns the texts of the page with less contrast than WCAG requires (4.5)."""


def program(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.fail(f"none of {', '.join(names)} is installed; these tests need a real browser")
    return found


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = program("chromium", "chromium-browser", "google-chrome")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=Service(program("chromedriver")))
    try:
        yield chrome
    finally:
        chrome.quit()


class BrowserPage:
    def __init__(self, driver: Any, file: Path) -> None:
        self.driver = driver
        self.file = file

    def go(self, fragment: str = "") -> BrowserPage:
        self.driver.get("about:blank")
        self.driver.get(f"{self.file.as_uri()}{fragment}")
        there = "document.readyState === 'complete' && location.protocol === 'file:'"
        if not self.waits_for(lambda: bool(self.script(there))):
            pytest.fail(f"{self.file} is not loaded after half a minute")
        return self

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> Any:
        (found,) = self.all(selector)
        return found

    def script(self, text: str) -> Any:
        return self.driver.execute_script(f"return {text}")

    def list_scenarios(self) -> list[str]:
        return self.script(
            "[...document.querySelectorAll('#list tr[id]')].filter(each => each.offsetParent && "
            "each.id.includes('/') && !each.id.startsWith('details-of-')).map(each => each.id)"
        )

    def read_focus(self) -> str:
        return self.script("document.activeElement.textContent || document.activeElement.id")

    def waits_for(self, holds: Callable[[], bool]) -> bool:
        """Wait until `holds()` is true, at most 30 seconds. Return False if it is still false."""
        deadline = time.monotonic() + 30
        while not (held := holds()) and time.monotonic() < deadline:
            pass
        return held

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def button(self, scenario_id: str) -> Any:
        script = "return document.getElementById(arguments[0]).querySelector('button')"
        return self.driver.execute_script(script, scenario_id)

    def panel(self, scenario_id: str) -> str:
        script = """const panel = document.getElementById('details-of-' + arguments[0]);
            return panel && panel.offsetParent ? panel.innerText : ''"""
        return str(self.driver.execute_script(script, scenario_id))

    def tree(self) -> list[dict[str, Any]]:
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [node for node in nodes if not node.get("ignored")]


def run_script(page: BrowserPage, script: str, *arguments: object) -> Any:
    """Run a script. It may use `ratio` (contrast of two colours by WCAG) and `over` (visible colour of a text)."""
    helpers = """
    const rect = (element) => element.getBoundingClientRect().toJSON();
    const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
    const context = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const rgba = (color) => { context.clearRect(0, 0, 1, 1); context.fillStyle = color; context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data]; };
    const luminance = (color) => { const [r, g, b] = rgba(color).map((each) => { const part = each / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ratio = (one, other) => { const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05); };
    const back = (element) => { for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor; if (rgba(color)[3] === 255) return color; }
      return "#fff"; };
    const over = (element) => { let part = 1;
      for (let at = element; at; at = at.parentElement) part *= Number(getComputedStyle(at).opacity);
      const below = rgba(back(element)), [r, g, b, alpha] = rgba(getComputedStyle(element).color);
      part *= alpha / 255;
      return `rgb(${[r, g, b].map((each, at) => each * part + below[at] * (1 - part)).join(" ")})`; };
    """
    return page.driver.execute_script(helpers + script, *arguments)


def emulate(driver: Any, *, width: int = WIDTH, media: str = "", **features: str) -> None:
    """Set the window's width (a `phone` below 500), a medium such as `print`, and preferences such as dark colours."""
    size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": wanted})


def logged_errors(driver: Any) -> list[Any]:
    """Return the errors in the browser's console since the last call."""
    return [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
