"""Commands that write pages about targets: `readfirst targets compatibility` and `readfirst targets site`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import typer

from readfirst.harness.cli.error_handling import UsageError, version
from readfirst.harness.cli.options import Fixtures, Output, open_suite, write_output
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import say
from readfirst.harness.yaml_io.json_file import reading
from readfirst.harness.yaml_io.yaml_validation import did_you_mean
from readfirst.observatory.cli.pages import Check, keep_pages, own_page_file, page_file
from readfirst.observatory.report.compatibility import compatibility_page, filtered_page, for_contract
from readfirst.observatory.report.harm_heatmap import NARROW_MAP, WIDE_MAP, harm_picture, map_rows
from readfirst.observatory.report.rule_diff import change_page, rule_changes
from readfirst.observatory.site.site import write_site
from readfirst.observatory.site.site_data import SiteData
from readfirst.observatory.survey.compatibility import (
    common_target_cells,
    compatibility_data,
    implementations_data,
    json_with_cell_lines,
    known_scenarios,
)
from readfirst.observatory.survey.page import FORMAT, page

_SURVEY = "readfirst targets implementations --write"


def compatibility(
    format_: Literal["markdown", "json", "html"] = typer.Option(
        "markdown",
        "--format",
        help="The format: `markdown` (a page), `json` (data), or `html` (a page with filters).",
    ),
    output: Output = None,
    check: Check = False,
    write: bool = typer.Option(
        False,
        "--write",
        help="Write compatibility.md, implementations.md, compatibility.json and the pictures to docs/.",
    ),
    compare: tuple[str, str] | None = typer.Option(
        None,
        metavar="NAME@VERSION NAME@VERSION",
        help="Only print the rules that differ between two implementations; exit code 1 if there are any.",
    ),
    fixtures: Fixtures = None,
) -> int:
    """Show the harm done by implementations and versions, and the rules that hold for them, as in
    docs/compatibility.md.

    Uses the recordings of the suite, and docs/implementations.json and docs/harm.json next to the fixtures. Takes some
    seconds.
    """
    if (check or write) and (output is not None or (check and write)):
        raise UsageError("--check, --write and --output exclude each other.")
    if compare is not None and (check or write or format_ != "markdown"):
        raise UsageError("--compare prints Markdown, and can only be combined with --output.")

    suite = open_suite(fixtures)
    rules = suite.rules
    if rules is None:
        raise UsageError(f"{suite.root} has no rules, so there is nothing to report by rule.")
    if compare is not None:
        return _print_comparison(suite, rules, *compare, output)
    try:
        survey = _survey(suite)
        data = compatibility_data(suite, rules, survey, _harm(suite))
        text = compatibility_page(data)
    except ValueError as error:
        raise UsageError(f"docs/implementations.json: {error}. Write it with `{_SURVEY}`.") from error
    if check or write:
        folder = own_page_file(suite, "compatibility.md").parent
        pages = {folder / name: text for name, text in files_of(data, survey).items()}
        return keep_pages(pages, "targets compatibility --write", check=check)
    match format_:
        case "json":
            write_output(json_with_cell_lines(data), output)
        case "html":
            write_output(filtered_page(data, version()), output)
        case _:
            write_output(text, output)
    return ExitCode.CONFORMANT


def _print_comparison(suite: Suite, rules: Rules, before: str, after: str, output: Path | None) -> ExitCode:
    survey = _survey(suite)
    known = [each["target"] for each in survey["targets"]]
    for name in (before, after):
        if name not in known:
            raise UsageError(f"there are no results of {name!r}. {did_you_mean(name, known)}")
    try:
        scenarios = known_scenarios(suite)
        table = for_contract(implementations_data(rules, scenarios, survey), survey["contracts"][0])
        common = common_target_cells(rules, scenarios, survey, before, after)
    except ValueError as error:
        raise UsageError(f"docs/implementations.json: {error}. Write it with `{_SURVEY}`.") from error
    changes = rule_changes(table, before, after, common)
    write_output(change_page(changes, before, after), output)
    return ExitCode.NOT_CONFORMANT if changes else ExitCode.CONFORMANT


def files_of(data: Mapping[str, Any], survey: Mapping[str, Any]) -> dict[str, str]:
    """Return the contents of the files that `targets compatibility --write` writes, by file name in docs/."""
    rows = map_rows(data)
    return {
        "map.svg": harm_picture(rows, WIDE_MAP),
        "map-narrow.svg": harm_picture(rows, NARROW_MAP),
        **({"implementations.md": page(survey)} if survey["targets"] else {}),
        "compatibility.md": compatibility_page(data),
        "compatibility.json": json_with_cell_lines(data),
    }


def _survey(suite: Suite) -> dict[str, Any]:
    """Return the content of docs/implementations.json. If this file is missing, the result contains no targets."""
    file = page_file(suite, "implementations.json")
    if file is None or not file.exists():
        return {"date": "", "contracts": [suite.contracts.default], "targets": []}
    with reading(file, _SURVEY, FORMAT) as data:
        return dict(data)


def _harm(suite: Suite) -> dict[str, Any]:
    """Return the harm of each contract from docs/harm.json. Empty if this file is missing."""
    file = page_file(suite, "harm.json")
    if file is None or not file.exists():
        return {}
    with reading(file, "python3 observatory/tools/harms.py") as data:
        return {
            name: {
                **{field: each[field] for field in ("sessions", "any")},
                "counts": each["harmed"],
                "shortest": {kind: shown["scenario"] for kind, shown in each["shortest"].items()},
            }
            for name, each in data["contracts"].items()
        }


def site(
    output: Path = typer.Option(..., metavar="DIR", help="The directory for the site."),
    url: str = typer.Option(
        "", help="The address of the published site, for search engines.", show_default="none"
    ),
    fixtures: Fixtures = None,
) -> None:
    """Generate a static site with search: the rules, the implementations, the versions and the docs.

    The site can be opened from its directory, without a server or a network. Requires the extra `observatory`.
    """
    suite = open_suite(fixtures)
    facts = SiteData(suite, own_page_file(suite, ""))
    count = write_site(facts, suite.root.parent, output, url=url, version=version())
    say(f"{output}: {count:,} pages. Open {output / 'index.html'} in a browser.")
