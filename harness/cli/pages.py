"""Page commands: `readfirst product claims` and `history`; the command line registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.cli.options import Fixtures, open_own_suite, open_suite
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say, stdout

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
    from readfirst.harness.source.atomic import write_all
    from readfirst.harness.suite.releases import releases_file, releases_text
    from readfirst.harness.versions.history_page import history_page
    from readfirst.harness.versions.published import published as asked

    suite = (open_own_suite if published else open_suite)(fixtures)
    if published:
        write_all({releases_file(suite.root): releases_text(asked()).encode()})
    return _made("history", "history.md", suite, history_page(suite), check, write)


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
