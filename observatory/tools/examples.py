"""Update outputs of runs and a table in README.md, docs/running.md and docs/errors.md.

README contains a run of the reference, sentences with its figures, and results of implementations and versions.
docs/running.md contains the last lines of a run of an implementation that only supports Read, and docs/errors.md the
table of error names. With `--check` nothing is written; the exit code is 1 if a page would change.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
README, RUNNING, ERRORS = ROOT / "README.md", ROOT / "docs" / "running.md", ROOT / "docs" / "errors.md"
ONLY_READS = """
from readfirst import FileTools, ToolResult


class Tools:
    capabilities = frozenset({"Read"})

    def open(self, workspace):
        self.tools = FileTools("2.1.7", root=workspace.root, home=workspace.home)
        return self

    def call(self, tool, arguments):
        result = self.tools.call(tool, arguments)
        return ToolResult(result.text, result.is_error)
"""
"""The source of an adapter that supports only Read. `running` runs it for an example in docs/running.md."""


class OutdatedPageError(Exception):
    """A page, or the output of a run, does not contain the text around a figure, so the figure cannot be updated."""


class WrongExampleError(Exception):
    """A run whose output a page should show has ended with an unexpected exit code."""


def run_readfirst(*arguments: str, expected_code: int) -> str:
    """Run readfirst, and return its output. Raises WrongExampleError unless the exit code is `expected_code`."""
    command = [sys.executable, "-m", "readfirst", *arguments]
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode != expected_code:
        words = (
            f"`readfirst {' '.join(arguments)}` ended with exit code {ended.returncode}, not {expected_code}"
        )
        raise WrongExampleError(f"{words}, so a page cannot show its output as an example")
    return ended.stdout


def replace_text(page: str, before: str, text: str, after: str) -> str:
    """Replace the text between the first `before` and the next `after`. Raises OutdatedPageError if one is missing."""
    head, found, rest = page.partition(before)
    _, found_after, tail = rest.partition(after)
    if not found or not found_after:
        raise OutdatedPageError(f"there is no text between {before!r} and {after!r}")
    return f"{head}{before}{text}{after}{tail}"


def replace_number(page: str, pattern: str, number: int) -> str:
    """Replace the first group of `pattern` by `number`. Raises OutdatedPageError if the pattern does not match."""
    match = re.search(pattern, page)
    if match is None:
        raise OutdatedPageError(f"nothing matches {pattern!r}")
    return f"{page[: match.start(1)]}{number:,}{page[match.end(1) :]}"


def number_in(pattern: str, output: str) -> int:
    """Return the number in the first group of `pattern`. Raises OutdatedPageError if the pattern does not match."""
    match = re.search(pattern, output, re.MULTILINE)
    if match is None:
        raise OutdatedPageError(f"no line of the output matches {pattern!r}")
    return int(match[1].replace(",", ""))


def with_run(page: str, output: str, rules: int) -> str:
    """Return README.md (`page`) with `output` as the output of `readfirst run`, and with the new figures in the
    sentences about it. `rules` is the number of rules of the suite.
    """
    output = output.partition("cost: ")[0]
    page = replace_text(page, "&& readfirst run\n", output, "```")
    harmed = number_in(r"including the ([\d,]+) scenarios in which", output)
    figures = {
        r"`rules`: ([\d,]+) of the [\d,]+ rules": number_in(r"^all +\d+/(\d+) ", output),
        r"`rules`: [\d,]+ of the ([\d,]+) rules": rules,
        r"`unsupported`: ([\d,]+) scenarios": number_in(r"passed, ([\d,]+) unsupported", output),
        r"`unspecified`: ([\d,]+) scenarios": number_in(r"unsupported, ([\d,]+) unspecified", output),
        r"more than the ([\d,]+) scenarios\.": harmed,
    }
    for pattern, number in figures.items():
        page = replace_number(page, pattern, number)
    return page


def with_results(
    page: str, implementations: Mapping[str, Any], versions: Mapping[str, Any], date: str
) -> str:
    """Return README.md (`page`) with updated results: the same implementations as before, and the most and the least
    harmful one, except those that were run only on a sample. `date` is the date of the measurement.
    """
    known = {**implementations, **{f"claude-code@{version}": result for version, result in versions.items()}}
    harms = {
        name: result["harm"]
        for name, result in known.items()
        if result.get("harm", {}).get("sessions") and "sampled" not in result["harm"]
    }
    block = page.partition("```text results\n")[2].partition("```")[0]
    listed = [line.split()[0] for line in block.splitlines()[1:]]
    ranked = sorted(harms, key=lambda name: -harms[name]["any"] / harms[name]["sessions"])
    chosen = [name for name in ranked if name in {*listed, ranked[0], ranked[-1]}]
    lines = [f"measured on {date}        scenarios  harmed  lost  spoiled\n"]
    for name in chosen:
        harm = harms[name]
        lost, spoiled = (harm["counts"].get(kind, 0) for kind in ("lost", "spoiled"))
        share = f"{100 * harm['any'] / harm['sessions']:.1f}%"
        lines.append(f"{name:<34} {harm['sessions']:>8} {share:>7} {lost:>5} {spoiled:>8}\n")
    return replace_text(page, "```text results\n", "".join(lines), "```")


def readme() -> str:
    """Run the reference, and return the text of README.md with the new output and the current results."""
    from readfirst.harness.suite.suite import Suite

    data = json.loads((ROOT / "docs/compatibility.json").read_bytes())
    date = json.loads((ROOT / "docs/implementations.json").read_bytes())["date"]
    rules = Suite(ROOT / "fixtures").rules
    page = with_run(
        README.read_text("utf-8"), run_readfirst("run", "-j", "2", expected_code=0), len(rules or ())
    )
    return with_results(page, data["implementations"], data["versions"], date)


def running() -> str:
    """Run an implementation that supports only Read, and return the text of docs/running.md with the new output."""
    with TemporaryDirectory() as directory:
        (Path(directory) / "reader.py").write_text(ONLY_READS)
        adapter = f"python:{directory}/reader.py:Tools"
        output = run_readfirst("run", adapter, "--failures", "0", expected_code=1)
    end = "".join(f"{line}\n" for line in output.splitlines()[-2:])
    return replace_text(RUNNING.read_text("utf-8"), "```text summary\n", end, "```")


def errors() -> str:
    """Return docs/errors.md with the current names of errors.yaml, in the order of the file."""
    from readfirst.harness.suite.suite import Suite

    vocabulary = Suite(ROOT / "fixtures").vocabulary
    rows = []
    for entry in vocabulary.names.values():
        codes = ", ".join(f"{tool} {code}" for tool, code in entry.codes.items())
        rows.append(f"| `{entry.name}` | {entry.summary} | {codes} |\n")
    start = "| name | meaning | code |\n|---|---|---|\n"
    return replace_text(ERRORS.read_text("utf-8"), start, "".join(rows), "\nTo see the exact")


PAGES: Mapping[Path, Callable[[], str]] = {README: readme, RUNNING: running, ERRORS: errors}
"""The pages with generated parts, each with the function that returns its new text."""


def main(arguments: list[str] | None = None) -> int:
    """Update README.md and docs/running.md, and return the exit code. With `--check`, only report outdated pages."""
    from readfirst.observatory.cli.pages import keep_pages

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit code 1 if a page would change"
    )
    options = parser.parse_args(arguments)
    pages = {file: render() for file, render in PAGES.items()}
    return keep_pages(pages, "renew", check=options.check)


if __name__ == "__main__":
    sys.exit(main())
