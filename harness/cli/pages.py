"""Page commands: `readfirst product claims` and `history`; the command line registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.cli.options import Fixtures, open_own_suite, open_suite
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say, say_lines, stdout

if TYPE_CHECKING:
    from readfirst.harness.suite.suite import Suite

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["claims", "history"]

Check = Annotated[
    bool, typer.Option("--check", help="Write nothing; exit code 1 if the page on disk is stale.")
]


@guarded
def claims(
    check: Check = False,
    write: Annotated[
        bool, typer.Option("--write", help="Write docs/behaviour.md next to the fixtures.")
    ] = False,
    fixtures: Fixtures = None,
) -> int:
    """Print what the documents claim and what the product was recorded to do, as in docs/behaviour.md."""
    if check and write:
        raise UsageError("--check and --write exclude each other.")
    from readfirst.harness.claims.page import behaviour as made

    suite = open_suite(fixtures)
    return _made("claims", "behaviour.md", suite, made(suite), check, write)


@guarded
def history(
    between: Annotated[
        str | None,
        typer.Argument(metavar="FROM..TO", help="Only the changes after FROM, up to TO, a line each."),
    ] = None,
    check: Check = False,
    write: Annotated[
        bool, typer.Option("--write", help="Write docs/history.md next to the fixtures.")
    ] = False,
    published: Annotated[
        bool, typer.Option("--published", help="First ask npm what is published, for fixtures/releases.yaml.")
    ] = False,
    fixtures: Fixtures = None,
) -> int:
    """Print every change of the file tools, version by version, as in docs/history.md."""
    if check and (write or published):
        raise UsageError("--check writes nothing: leave out --write and --published.")
    if between is not None and (check or write or published):
        raise UsageError("FROM..TO is printed alone: leave out --check, --write and --published.")
    from readfirst.harness.source.atomic import write_all
    from readfirst.harness.suite.releases import releases_file, releases_text
    from readfirst.harness.versions.history_page import history_page
    from readfirst.harness.versions.published import published as asked

    suite = (open_own_suite if published else open_suite)(fixtures)
    if between is not None:
        return _between(suite, between)
    if published:
        write_all({releases_file(suite.root): releases_text(asked()).encode()})
    return _made("history", "history.md", suite, history_page(suite), check, write)


def _between(suite: Suite, between: str) -> int:
    """Print the changes between two versions, which may be any that were published, or `latest`."""
    from packaging.version import InvalidVersion

    from readfirst.harness.versions.history_page import changes_between

    newest = suite.contracts["latest"].name.partition("+")[0]
    before, _, after = between.replace("latest", newest).partition("..")
    try:
        lines = list(changes_between(suite, before, after))
    except InvalidVersion:
        raise UsageError(f"{between!r} is not FROM..TO. Write, for example, 2.1.40..latest.") from None
    say_lines(lines)
    return ExitCode.CONFORMANT if lines else ExitCode.NOTHING


def _made(command: str, name: str, suite: Suite, page: str, check: bool, write: bool) -> int:
    """Print, check or write the page that a command of `readfirst product` makes; return the exit code."""
    from readfirst.harness.cli.suite_page import is_fresh, page_file
    from readfirst.harness.source.atomic import write_all

    if not check and not write:
        stdout().write(page)
        return ExitCode.CONFORMANT
    file = page_file(suite, name)
    if file is None:
        raise UsageError(
            "The bundled suite has no docs/ folder: name the fixtures of a checkout with --fixtures."
        )
    if is_fresh(file, page):
        return ExitCode.CONFORMANT
    if check:
        say(f"{file} is stale. Write it with `readfirst product {command} --write`.", err=True)
        return ExitCode.NOT_CONFORMANT
    write_all({file: page.encode()})
    say(f"wrote {file}", err=True)
    return ExitCode.CONFORMANT
