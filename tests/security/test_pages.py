import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import markdown
import pytest
from markdown_it import MarkdownIt

from observatory.tests.targets.issues import SUITE, broken_rules, report_of
from observatory.tests.targets.test_issue import ONE_OF_EACH_KIND
from readfirst.harness.report.markdown_escape import cell as prose_cell
from readfirst.harness.report.markdown_escape import code, fence_code, link, prose, table
from readfirst.harness.report.results import Results
from readfirst.harness.suite.file_entry import RegularFile, TextContent
from readfirst.harness.suite.harm_kinds import KINDS
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.observatory.report.compatibility import filtered_page
from readfirst.observatory.report.harm_heatmap import NARROW_MAP, WIDE_MAP, MapCell, MapRow, harm_picture
from readfirst.observatory.site.markdown_sources import generated_pages, write_sources
from readfirst.observatory.site.sanitize_html import is_safe_link, sanitize_html
from readfirst.observatory.site.site import project_pages
from readfirst.observatory.site.site_data import SiteError
from readfirst.observatory.survey.failure_evidence import Mismatch
from readfirst.observatory.survey.issue_report import HEADINGS, issue_text
from tests.parsed import ParsedPage
from tests.rows import rows

from .stranger import ADDRESSES, BLOCKS, MARKUP, RUNS, SEEN, project

HOSTILE = MARKUP + BLOCKS
BLOCK_STARTS = (
    *("- x", "+ x", "1. x", "12) x", "===", "---", "    x", "\tx", "# x", "> x", "::: x"),
    *("x\n===\n\n    y"),
)
HARMLESS_IMAGES = ("img {}", "img {'alt': '6'}", "img {'src': 'docs/map.svg'}")
"""Without an address, or with an address on the site itself."""
ACTIVE = frozenset({"script", "style", "iframe", "svg", "object", "base", "link", "meta", "form", "img"})


def active_elements(html: str) -> list[str]:
    found = []
    for tag, attributes in ParsedPage(html).elements:
        address = attributes.get("href") or ""
        if tag in ACTIVE or any(name.startswith("on") for name in attributes) or not is_safe_link(address):
            found.append(f"{tag} {attributes}")
    return found


def render_markdown(text: str) -> tuple[str, str]:
    """Return the HTML of a Markdown text, from the web site's parser and from one like GitHub's."""
    extensions = ["tables", "attr_list", "sane_lists", "fenced_code"]
    return (
        markdown.markdown(text, extensions=extensions),
        MarkdownIt("commonmark", {"html": True}).enable("table").render(text),
    )


@rows("text", [MARKUP, HOSTILE, *BLOCK_STARTS, *ADDRESSES])
def test_no_reader_of_markdown_finds_more_than_text(text: str) -> None:
    """Parsers of Markdown find only plain text in an escaped hostile text."""
    cell = prose(text)
    within = prose_cell(text.replace("`", ""))
    rows = [[cell, code(text)], [link(code(text), text), within]]
    for page in (cell, table(["a", "b"], rows)):
        for html in render_markdown(page):
            assert active_elements(html) == []
            wanted = {"table", "thead", "tbody", "tr", "th", "td", "p", "code", "a"}
            assert {tag for tag, _ in ParsedPage(html).elements} <= wanted
            assert html.count("<tr") in (0, 3)


@rows("text", [HOSTILE, "```\n````\n```", "~~~\n```", "\n    ```\n"])
def test_no_text_closes_its_fence(text: str) -> None:
    """No hostile text can end the code block that contains it."""
    html = MarkdownIt("commonmark", {"html": True}).render(fence_code("text", text))
    assert [tag for tag, _ in ParsedPage(html).elements] == ["pre", "code"]


@rows("address", [*ADDRESSES[:3], "vbscript:x", " javascript:x", "file:///etc/passwd"])
def test_an_address_that_is_none_of_the_web_is_no_link(address: str) -> None:
    """An address that is not a web address does not become a link."""
    assert link("text", address) == "text"
    assert not is_safe_link(address)


def test_a_link_to_a_hostile_address_ends_with_its_address() -> None:
    (html, other) = render_markdown(link("text", ADDRESSES[3]))
    for each in (html, other):
        ((_, attributes),) = [each for each in ParsedPage(each).elements if each[0] == "a"]
        assert str(attributes["href"]).startswith("https://example.invalid/%29%0A")
        assert active_elements(each) == []


PICTURE_ELEMENTS = {"svg", "style", "rect", "text", "g", "line", "title"}


@rows("text", [HOSTILE, "a\x1b[2J\x00\x0b\ufffe\ud800b", "]]></text></svg>&x;", '" onload="x', *ADDRESSES])
def test_a_picture_holds_only_shapes_and_text(text: str) -> None:
    """A generated SVG picture contains only shapes and text."""
    row = MapRow(text, False, 10, 5, tuple(MapCell(kind, 1, "harm-1", text) for kind in KINDS))
    for picture in (harm_picture([row], each) for each in (WIDE_MAP, NARROW_MAP)):
        for each in ElementTree.fromstring(picture.encode()).iter():
            assert each.tag.removeprefix("{http://www.w3.org/2000/svg}") in PICTURE_ELEMENTS
            assert not any(name.startswith("on") or "href" in name for name in each.attrib)


def test_a_page_is_made_anew_of_what_is_harmless() -> None:
    """A sanitized page contains only harmless elements and attributes."""
    made = sanitize_html(
        f"<h1 id='a' onclick='{RUNS}' class='md-x highlight'>1 &lt;b&gt;</h1><p id='__config'>2 <b>3"
        "<a href='&#106;avascript:x'>4</a><a href='java&#10;script:x'>5</a><img src='//seen.invalid/x' alt='6'>"
        "<source srcset='a.svg, http://seen.invalid/b 2x'><!--<i>--><![CDATA[<i>]]><?php echo 1 ?>"
        "</b></p><table><thead><tr><th>a &amp; \"b\"<tbody><tr><td style='x' align=right>7</table>" + HOSTILE
    )
    assert [each for each in active_elements(made) if each not in HARMLESS_IMAGES] == []
    assert made.startswith('<h1 id="a" class="highlight">1 &lt;b&gt;</h1>')
    assert "seen.invalid" not in "".join(str(attributes) for _, attributes in ParsedPage(made).elements)
    assert "__config" not in made
    assert "mermaid" not in made
    assert '<td data-label="a &amp; &quot;b&quot;" align="right">7</td></tr></tbody></table>' in made
    assert sanitize_html(made) == made


def test_the_check_of_these_tests_detects_active_html() -> None:
    assert active_elements(HOSTILE)
    assert active_elements(f'<p onclick="{RUNS}">')
    assert active_elements('<a href="java\nscript:x">')


def test_the_generated_markdown_pages_of_a_site_contain_hostile_texts_only_as_text(tmp_path: Path) -> None:
    facts = project(tmp_path / "theirs", HOSTILE)
    for name, text in generated_pages(facts).items():
        for html in render_markdown(text):
            assert active_elements(html) == [], name


def test_the_page_with_filters_contains_hostile_texts_only_as_text(tmp_path: Path) -> None:
    facts = project(tmp_path / "theirs", HOSTILE)
    html = filtered_page(facts.compatibility, HOSTILE)
    assert SEEN not in html
    usual = filtered_page(project(tmp_path / "usual", "plain").compatibility, "plain")
    drawn = {"text", "rect", "title", "g", "line"}  # long titles take more lines of a picture
    shapes = [[tag for tag, _ in ParsedPage(each).elements if tag not in drawn] for each in (html, usual)]
    assert shapes[0] == shapes[1]
    assert "script-src 'sha256-" in html


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("page.html", SEEN),
        ("page.xhtml", SEEN),
        ("picture.svg", f"<svg><script>{RUNS}</script></svg>"),
        ("picture.svg", f"<svg onload='{RUNS}'></svg>"),
        ("picture.svg", "<svg><a xlink:href='javascript:x'><text>x</text></a></svg>"),
        ("picture.svg", "<svg><style>@import 'http://seen.invalid'</style></svg>"),
        ("picture.svg", "<svg><style>svg { background: u\\72l(x) }</style></svg>"),
        ("picture.svg", "<svg><style>svg { background: image-set('//seen.invalid' 1x) }</style></svg>"),
        ("picture.svg", "<svg><style>svg { background: &#117;rl(x) }</style></svg>"),
        ("elsewhere.txt", None),
    ],
)
def test_a_file_that_acts_or_lies_elsewhere_does_not_come_along(
    tmp_path: Path, name: str, holds: str | None
) -> None:
    """An active file, or a link to a file outside the project, is not copied to the web site."""
    root = tmp_path / "root"
    root.mkdir()
    if holds is None:
        (tmp_path / "secret").write_text("secret")
        (root / name).symlink_to(tmp_path / "secret")
    else:
        (root / name).write_text(holds)
    (root / "README.md").write_text(f"[a]({name}) [b](data.json)")
    (root / "data.json").write_text("{}")
    write_sources({}, {"README.md": root / "README.md"}, tmp_path / "out", root)
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["README.md", "data.json"]


def test_a_page_that_lies_elsewhere_is_none_of_the_site(tmp_path: Path) -> None:
    """A page that is a link to a file outside the project is not part of the web site."""
    docs = project(tmp_path / "theirs", "plain").docs
    (tmp_path / "secret").write_text("# Secret")
    (docs / "link.md").symlink_to(tmp_path / "secret")
    assert "docs/history.md" in project_pages(docs.parent)
    assert "docs/link.md" not in project_pages(docs.parent)


@pytest.mark.parametrize("name", ["../../outside@1", "a b@1", "<b>@1", "a/b@1", ""])
def test_a_name_that_leads_out_of_the_site_is_refused(tmp_path: Path, name: str) -> None:
    """A name of an implementation that would be a path outside the web site is refused."""
    facts = project(tmp_path, "plain")
    for file in ("compatibility.json", "implementations.json"):
        text = (facts.docs / file).read_text().replace('"it@1.0"', json.dumps(name))
        (facts.docs / file).write_text(text)
    with pytest.raises(SiteError, match="is not a valid name"):
        generated_pages(facts)


# --- tests in a real Chromium ---


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from tests.cli.browser import chromium

    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


def open_page(driver: Any, file: Path) -> Any:
    """Return the opened page. Fail if it runs a script, or requests something from another site."""
    from tests.cli.browser import BrowserPage, logged_errors

    logged_errors(driver)
    page = BrowserPage(driver, file).go()
    check(page, logged_errors(driver))
    return page


def check(page: Any, errors: list[Any]) -> None:
    """Assert that a page has run no script and requested nothing from another site."""
    assert page.script("window.owned") is None
    asked = page.script("performance.getEntriesByType('resource').map(each => each.name)")
    assert [each for each in asked if not each.startswith(("file:", "blob:", "data:"))] == []
    assert [each for each in errors if "seen.invalid" in each["message"]] == []


@pytest.mark.browser
def test_nothing_of_a_site_runs_or_leaves(driver: Any, tmp_path: Path) -> None:
    """In a browser, no page of a hostile web site runs a script or requests something from another site."""
    from readfirst.observatory.site.site import write_site
    from tests.cli.browser import logged_errors

    facts = project(tmp_path / "theirs", HOSTILE)
    write_site(facts, tmp_path / "theirs", tmp_path / "site")
    files = sorted((tmp_path / "site").rglob("*.html"))
    assert {"index.html", "table.html", "first.html", "it@1.0.html"} <= {file.name for file in files}
    for file in files:
        page = open_page(driver, file)
        for each in page.all("summary, article a[href^='#'], tr[data-rule] button")[:20]:
            page.driver.execute_script("arguments[0].click()", each)
        check(page, logged_errors(driver))
    page = open_page(driver, tmp_path / "site" / "rules" / "index.html")
    page.press("/")
    page.press(*"findme")
    assert page.waits_for(lambda: bool(page.all(".md-search-result__link")))
    check(page, logged_errors(driver))


@pytest.mark.browser
def test_nothing_of_a_report_runs_or_leaves(driver: Any, tmp_path: Path) -> None:
    """In a browser, a report with hostile texts runs no script and requests nothing from another site."""
    from tests.cli.browser import logged_errors
    from tests.cli.hostile_world import World
    from tests.cli.test_hostile_text import FIELDS

    world = World(**dict.fromkeys(FIELDS, HOSTILE))
    results: Results = world.results()
    file = tmp_path / "report.html"
    file.write_text(world.sources().write("html", results), "ascii")
    page = open_page(driver, file)
    for each in page.all("button, summary"):
        page.driver.execute_script("arguments[0].click()", each)
    assert re.search("window.owned", page.script("document.body.innerText"))
    check(page, logged_errors(driver))


@pytest.mark.browser
def test_a_page_that_runs_a_script_or_loads_something_is_detected(driver: Any, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    for text in (SEEN, '<img src="http://seen.invalid/x">'):
        file.write_text(f"<!DOCTYPE html>{text}")
        with pytest.raises(AssertionError):
            open_page(driver, file)


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_the_text_of_an_issue_holds_only_text(name: str) -> None:
    """The text of a generated issue contains hostile texts only as text."""
    report = report_of(name, next(rule for target, rule in broken_rules() if target == name))
    path = f"a\r{MARKUP}\u2028b".replace("/", "|")
    file = RegularFile(TextContent(HOSTILE))
    given = replace(report.scenario.given, files={path: file, **report.scenario.given.files})
    event = WorldEvent("modify", path, file)
    found = tuple(Mismatch(f"{kind} {path}", HOSTILE, HOSTILE) for kind in ("file", "mode of", "path", "x"))
    text = issue_text(
        replace(
            report,
            rule=replace(report.rule, title=HOSTILE, why=HOSTILE),
            scenario=replace(
                report.scenario, title=HOSTILE, given=given, steps=(event, *report.scenario.steps)
            ),
            evidence=replace(
                report.evidence,
                step=report.evidence.step + 1,
                found=(*report.evidence.found, *found),
                error=HOSTILE,
                answers=((), *report.evidence.answers),
            ),
        ),
        SUITE,
    )
    for html in render_markdown(text):
        assert active_elements(html) == []
    parsed = MarkdownIt("commonmark", {"html": True}).parse(text)
    assert [each.tag for each in parsed if each.type == "heading_open"] == ["h1", *["h2"] * len(HEADINGS)]
