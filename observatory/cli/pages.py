"""Commands `readfirst renew`, `product claims`, `product history` and `product behaviours`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.cli.options import Fixtures, open_own_suite, open_suite
from readfirst.harness.errors import ExitCode
from readfirst.harness.run.job_count import processors
from readfirst.harness.terminal import say, say_lines, stdout

if TYPE_CHECKING:
    from readfirst.harness.suite.suite import Suite


def page_file(suite: Suite, name: str) -> Path | None:
    """Return the path of a page in docs/ next to the fixtures. None for the installed suite, which has no docs/."""
    if suite.installed:
        return None
    return suite.root.parent / "docs" / name


def own_page_file(suite: Suite, name: str) -> Path:
    """Return the path of a page in docs/. Raises UsageError for the installed suite, which has no docs/."""
    file = page_file(suite, name)
    if file is None:
        raise UsageError(
            "The bundled suite has no docs/ directory: name the fixtures of a checkout with --fixtures."
        )
    return file


def keep_pages(pages: Mapping[Path, str], command: str, *, check: bool) -> int:
    """Write the outdated `pages`, or only list them (`check`). Return the exit code. `command`: for messages."""
    stale = {
        file: page
        for file, page in pages.items()
        if not (file.exists() and file.read_bytes() == page.encode())
    }
    if not check:
        from readfirst.harness.yaml_io.atomic_write import write_all

        write_all({file: page.encode() for file, page in stale.items()})
    for file in stale:
        message = f"{file} is stale. Write it with `readfirst {command}`." if check else f"wrote {file}"
        say(message, err=True)
    return ExitCode.NOT_CONFORMANT if check and stale else ExitCode.CONFORMANT


Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if the file is stale.")]


def claims(
    rules: list[str] | None = typer.Argument(
        None,
        metavar="RULE",
        help="Print only these rules, each with its published claims, its behaviours, and its results in all versions.",
        show_default="all claims",
    ),
    check: Check = False,
    write: bool = typer.Option(
        False, "--write", help="Write docs/behaviour.md of the checkout that contains the fixtures."
    ),
    fixtures: Fixtures = None,
) -> int:
    """Print the claims of the documents next to the recorded behaviour. docs/behaviour.md is a summary."""
    if check and write:
        raise UsageError("--check and --write exclude each other.")
    if rules and (check or write):
        raise UsageError("RULE cannot be combined with --check or --write.")
    from readfirst.observatory.claims.page import behaviour_page
    from readfirst.observatory.claims.rule_index import rule_report_lines

    suite = open_suite(fixtures)
    if rules:
        if (known := suite.rules) is None:
            raise UsageError(f"{suite.root} has no rules, so its scenarios belong to no rule.")
        for rule in [known[rule_id] for rule_id in rules]:
            say_lines(rule_report_lines(suite, known, rule))
        return ExitCode.CONFORMANT
    text = behaviour_page(suite, brief=check or write)
    return _printed_or_kept("behaviour.md", suite, text, "product claims --write", check, write)


def history(
    check: Check = False,
    write: bool = typer.Option(
        False, "--write", help="Write docs/history.md of the checkout that contains the fixtures."
    ),
    published_versions: bool = typer.Option(
        False,
        "--published",
        help="First download the list of published versions from npm to fixtures/releases.yaml.",
    ),
    fixtures: Fixtures = None,
) -> int:
    """Print every change of the file tools, version by version. docs/history.md contains only numbers of changes."""
    if check and (write or published_versions):
        raise UsageError("--check writes nothing: leave out --write and --published.")
    from readfirst.harness.yaml_io.atomic_write import write_all
    from readfirst.observatory.versions.history import history_page, releases_text
    from readfirst.observatory.versions.npm_versions import published_versions as asked

    suite = (open_own_suite if published_versions else open_suite)(fixtures)
    if published_versions:
        write_all({suite.root / "releases.yaml": releases_text(asked()).encode()})
    text = history_page(suite, every=not (check or write))
    return _printed_or_kept("history.md", suite, text, "product history --write", check, write)


def _printed_or_kept(name: str, suite: Suite, page: str, command: str, check: bool, write: bool) -> int:
    if check or write:
        return keep_pages({own_page_file(suite, name): page}, command, check=check)
    stdout().write(page)
    return ExitCode.CONFORMANT


def behaviours(
    version: str | None = typer.Argument(
        None,
        metavar="VERSION",
        help="A version such as 2.1.40, one with an older model such as 2.1.228+gated, `latest`, or `documented`.",
        show_default="2.1.7",
    ),
    diff: tuple[str, str] | None = typer.Option(
        None,
        "--diff",
        metavar="A B",
        help="Print the differences between the behaviours of the versions A and B.",
    ),
    check: Check = False,
    write: bool = typer.Option(
        False,
        "--write",
        help="Update the list in docs/reference-behaviours.md of the checkout that contains the fixtures.",
    ),
    fixtures: Fixtures = None,
) -> int:
    """Print the behaviours of one version, or with --diff the differences between two. Exit code 1 if there are
    differences.

    The data come from the reference implementation, so they also cover versions that were never recorded.
    """
    asked = [name for name, given in (("VERSION", version), ("--diff", diff)) if given is not None]
    asked += [name for name, given in (("--check", check), ("--write", write)) if given]
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} exclude each other.")
    from readfirst.observatory.versions import behaviours as known
    from readfirst.reference_impl import DEFAULT_CONTRACT

    if check or write:
        file = page_file(open_suite(fixtures), "reference-behaviours.md")
        if file is None or not file.is_file():
            raise UsageError(
                "There is no docs/reference-behaviours.md next to this suite: "
                "name the fixtures of a checkout with --fixtures."
            )
        page = known.update_tables(file.read_text("utf-8"))
        return keep_pages({file: page}, "product behaviours --write", check=check)
    named = diff or (version or DEFAULT_CONTRACT,)
    found = known.compare_behaviours(*named)
    say_lines(known.as_text(named, found))
    return ExitCode.NOT_CONFORMANT if diff and found else ExitCode.CONFORMANT


STEPS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("readfirst", "product", "behaviours", "--write"),
        ("readfirst", "product", "claims", "--write"),
        ("readfirst", "product", "history", "--write"),
        ("python3", "observatory/tools/harms.py"),
    ),
    (("readfirst", "targets", "compatibility", "--write"),),
    (("python3", "observatory/tools/examples.py"),),
)
"""Groups of commands of `readfirst renew`. The commands of a group run in parallel, after all earlier groups."""

_PROGRAMS = {"readfirst": (sys.executable, "-m", "readfirst"), "python3": (sys.executable,)}


def renew() -> int:
    """Regenerate all files of a checkout that depend on scenarios, recordings, behaviours or targets.

    Each command is printed before it runs. If a command fails, the other commands of its group still finish, but no
    later group starts, and the exit code of the failed command is returned.
    """
    page = page_file(open_suite(None), "")
    if page is None:
        raise UsageError("The installed package has no generated files to renew: run this in a checkout.")
    for steps in STEPS:
        for step in steps:
            say(" ".join(step), err=True)
        with ThreadPoolExecutor(processors()) as pool:
            codes = [*pool.map(lambda step: _perform(step, page.parent), steps)]
        for step, code in zip(steps, codes, strict=True):
            if code:
                say(
                    f"`{' '.join(step)}` ended with exit code {code}; the commands after it were not run.",
                    err=True,
                )
                return code
    return ExitCode.CONFORMANT


def _perform(step: Sequence[str], checkout: Path) -> int:
    return subprocess.run([*_PROGRAMS[step[0]], *step[1:]], cwd=checkout, check=False).returncode
