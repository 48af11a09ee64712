"""The site's Markdown pages, the files that they link to, and the refusal of directories without a site."""

import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from readfirst.harness.errors import ExitCode
from readfirst.harness.report.markdown_escape import code, prose
from readfirst.harness.suite.harm_kinds import MEANING
from readfirst.observatory.cli import compatibility
from readfirst.observatory.report.harm_heatmap import star_meaning
from readfirst.observatory.site import site
from readfirst.observatory.site.markdown_sources import (
    generated_pages,
    linked_paths,
    strip_fence_info,
    write_sources,
)
from readfirst.observatory.site.pages import (
    home_page,
    implementation_pages,
    rule_pages,
    version_pages,
)
from readfirst.observatory.site.sections import harm_sections
from readfirst.observatory.site.site import broken_links, write_site
from readfirst.observatory.site.site_data import SiteData, SiteError
from readfirst.observatory.template import scenario_link
from tests.command_line import exit_code

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def rules(facts: SiteData) -> dict[str, str]:
    return dict(rule_pages(facts))


@pytest.fixture(scope="module")
def implementations(facts: SiteData) -> dict[str, str]:
    return dict(implementation_pages(facts))


def test_every_rule_and_every_implementation_has_a_page_that_its_index_names(
    facts: SiteData, rules: dict[str, str], implementations: dict[str, str]
) -> None:
    names = {f"{rule.id}.md" for rule in facts.rules}
    assert set(rules) == {"index.md", *names}
    assert set(linked_paths("rules/index.md", rules["index.md"])) == {f"rules/{name}" for name in names}
    assert set(implementations) == {"index.md", *(f"{name}.md" for name in facts.table["implementations"])}


def test_a_rule_page_says_why_shows_the_shortest_scenario_and_who_keeps_it(
    facts: SiteData, rules: dict[str, str]
) -> None:
    page = rules["edit-refuses-changed-file.md"]
    rule = facts.rules["edit-refuses-changed-file"]
    shortest = facts.shortest(rule.id)
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings == [
        "Why it matters",
        "The shortest scenario",
        "Who keeps it",
        "Versions of Claude Code",
        "Where it comes from",
        "All scenarios",
    ]
    assert rule.why in page
    assert f"title: {shortest.title}" in page
    lengths = {each.id: facts.suite.scenario(each.id).length for each in facts.scenarios[rule.id]}
    assert lengths[shortest.id] == min(lengths.values())
    assert re.search(r"docs/behaviour\.md#stale-edit-is-refused\) .* Holds on: 1\.0\.126 to ", page)
    for name in facts.table["implementations"]:
        assert f"[{name}](../implementations/{name}.md)" in page
    assert all(scenario_link(each, code(each)) in page for each in lengths)


def test_an_implementation_page_is_a_card_that_shows_what_it_loses(
    facts: SiteData, implementations: dict[str, str]
) -> None:
    page = implementations["agno-gated@3.1.10.md"]
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings == [
        "Harm",
        "Diagnosis",
        f"Likeness to {facts.table['contract']}",
        *(f"Rules of {class_} that do not hold" for class_ in ("safety", "design", "wording", "quirk")),
    ]
    shortest = facts.results["agno-gated@3.1.10"]["harm"]["shortest"]
    for kind, each in shortest.items():
        assert f"\n### {kind}\n" in page
        assert scenario_link(each["scenario"], code(each["scenario"])) in page, kind
    assert page.count('<li class="harmed">') == len(shortest)
    assert f"Nearest to {facts.diagnoses['agno-gated@3.1.10']['nearest']}: " in page
    assert "readfirst run target:agno-gated@3.1.10" in page


def test_a_card_explains_the_stars_of_its_own_row_alone(
    facts: SiteData, implementations: dict[str, str]
) -> None:
    stars_of = {
        name: star_meaning([row]) for name, row in facts.rows.items() if f"{name}.md" in implementations
    }
    assert len({*stars_of.values()}) > 1
    for name, stars in stars_of.items():
        said = {
            each
            for each in stars_of.values()
            if each and each.replace("*", "\\*") in implementations[f"{name}.md"]
        }
        assert said == ({stars} if stars else set()), name


def test_a_kind_of_harm_has_a_section_also_without_a_scenario_to_show(facts: SiteData) -> None:
    """Each cell of the harm map links to the section about its kind of harm."""
    assert list(harm_sections(facts, 1_538, {"untrue": 1}, {})) == [
        "### untrue",
        f"In 1 of 1,538 sessions: {prose(MEANING['untrue'])}.",
    ]


def test_a_version_has_a_page_of_what_changed_for_users_in_words(facts: SiteData) -> None:
    pages = dict(version_pages(facts))
    assert set(pages) == {"index.md", *(f"{name}.md" for name in facts.recorded)}
    page = pages["2.1.228.md"]
    changed = page[page.index("## Changes for users since 2.1.207") : page.index("## Harm")]
    assert "It harms in a new way: From 2.1.228 on, Edit and Write require no Read" in changed
    assert "since 2.1.207\n" in pages["2.1.228+gated.md"]
    assert "since 2.1.228+gated" in pages["2.1.328+gated.md"]
    assert "Changes for users" not in pages[f"{facts.recorded[0]}.md"]


def test_the_first_page_is_the_map_whose_cells_lead_to_the_scenarios(facts: SiteData) -> None:
    page = home_page(facts)
    made = generated_pages(facts)
    cells = re.findall(r'href="((?:implementations|versions)/[^"#]+)\.html#(\w+)"', page)
    assert len(cells) > 100
    for path, kind in cells:
        assert f"\n### {kind}\n" in made[f"{path}.md"], (path, kind)
    assert page.index("harm-map") < page.index("rule-map")


def test_the_diagnoses_are_those_of_the_page_about_them(facts: SiteData) -> None:
    page = (facts.docs / "diagnosis.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\S+@\S+)` \| (.*?) \| \d+ \|", page, re.MULTILINE))
    assert rows == {name: each["nearest"] for name, each in facts.diagnoses.items()}


def test_links_are_found_but_not_those_in_code() -> None:
    text = "[a](../b/c.yaml#x) ![i](p%20q.png)\n\n```js\n[no](no.md)\n```\n<https://x.example> [m](#here)\n"
    picture = '\n<picture><source srcset="wide.svg"><img src="narrow.svg"></picture>\n'
    found = list(linked_paths("docs/page.md", text + picture))
    assert found == ["b/c.yaml", "docs/p q.png", "docs/wide.svg", "docs/narrow.svg"]


def test_a_code_block_keeps_only_the_name_of_its_language() -> None:
    assert strip_fence_info("```yaml scenario\na: 1\n```\n") == "```yaml\na: 1\n```\n"
    assert strip_fence_info("- x\n  ````js server 2\n") == "- x\n  ````js\n"


def test_what_a_page_links_to_comes_along_and_so_on(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "README.md").write_text("[a](docs/a.md) [gone](gone.md)")
    (root / "docs" / "a.md").write_text("[data](../data.json) [back](../README.md)")
    (root / "data.json").write_bytes(b"{}")
    (root / "other.json").write_bytes(b"{}")
    write_sources({"made.md": "[r](README.md)"}, {"README.md": root / "README.md"}, tmp_path / "out", root)
    found = {str(file.relative_to(tmp_path / "out")) for file in (tmp_path / "out").rglob("*.*")}
    assert found == {"README.md", "made.md", "docs/a.md", "data.json"}


def test_links_that_lead_nowhere_are_reported(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text(
        '<a href="sub/b.html#there">1</a><a href="sub/b.html#gone">2</a><a href="c.html">3</a>'
        '<img src="x.png" srcset="y.png 2x, sub/b.html"><a href="https://x.example/y">4</a>'
        '<a href="sub/">5</a><a href="#__search">6</a>'
    )
    (tmp_path / "sub" / "b.html").write_text('<h1 id="there"></h1><a href="../a.html">back</a>')
    assert list(broken_links(tmp_path)) == [
        "a.html: sub/b.html#gone",
        "a.html: c.html",
        "a.html: x.png",
        "a.html: y.png",
        "a.html: sub/",
    ]


def test_a_folder_that_holds_something_else_is_left_alone(
    facts: SiteData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "require_mkdocs", lambda: None)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SiteError, match="is not empty"):
        write_site(facts, CHECKOUT, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def exit_code_of(fixtures: Path, output: Path) -> int:
    return exit_code("targets", "site", "--fixtures", fixtures, "--output", output)


def test_a_site_needs_mkdocs_and_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mkdocs.commands.build", None)
    assert exit_code_of(CHECKOUT / "fixtures", tmp_path / "site") == ExitCode.USAGE
    assert "pip install 'readfirst[observatory]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_suite_without_results_has_no_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(site, "require_mkdocs", lambda: None)
    (tmp_path / "fixtures").symlink_to(CHECKOUT / "fixtures")
    (tmp_path / "README.md").write_text("# Mine\n")
    assert exit_code_of(tmp_path / "fixtures", tmp_path / "site") == ExitCode.USAGE
    assert "`readfirst targets compatibility --write` writes it" in capsys.readouterr().err


def test_the_workflow_publishes_what_the_command_makes(
    facts: SiteData, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow = yaml.safe_load((CHECKOUT / ".github/workflows/pages.yml").read_text("utf-8"))
    steps = workflow["jobs"]["build"]["steps"]
    (step,) = [each for each in steps if each.get("run", "").startswith("readfirst targets site")]
    (upload,) = [each for each in steps if "upload-pages-artifact" in each.get("uses", "")]
    asked: dict[str, object] = {}

    def write(facts: SiteData, root: Path, folder: Path, **options: object) -> int:
        asked.update(options, root=root, folder=folder)
        return 1

    monkeypatch.setattr(compatibility, "write_site", write)
    monkeypatch.chdir(CHECKOUT)
    words = shlex.split(step["run"].replace('"$URL"', "https://x.example/readfirst/"))
    assert exit_code(*words[1:]) == ExitCode.CONFORMANT
    assert asked["url"] == "https://x.example/readfirst/"
    assert step["env"]["URL"] == "${{ steps.pages.outputs.base_url }}/"
    assert str(asked["folder"]) == upload["with"]["path"]
    assert Path(str(asked["root"])).resolve() == CHECKOUT
