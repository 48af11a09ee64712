"""Behaviour commands: `readfirst product behaviours`; the command line registers it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.cli.options import Fixtures, open_suite
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say, say_lines, stdout

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["behaviours"]


class BehavioursFormat(StrEnum):
    """The values of `behaviours --format`."""

    text = "text"
    json = "json"


@guarded
def behaviours(
    version: Annotated[
        str | None,
        typer.Argument(
            metavar="VERSION",
            help="A version such as 2.1.40 or 2.1.228+gated, latest, or documented.",
            show_default="2.1.7",
        ),
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="A B", help="Print what differs between two versions instead."),
    ] = None,
    rules: Annotated[
        bool,
        typer.Option("--rules", help="Print the rules of VERSION in the order in which they apply instead."),
    ] = False,
    format_: Annotated[
        BehavioursFormat, typer.Option("--format", help="What to write.")
    ] = BehavioursFormat.text,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if docs/reference.md is stale.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Write the tables of docs/reference.md next to the fixtures.")
    ] = False,
    fixtures: Fixtures = None,
) -> int:
    """Print what one version does, or with --diff what differs between two: exit code 0: nothing, 1: something.

    The answer comes from the reference implementation, so it also covers versions that were never recorded.
    """
    asked = [name for name, given in (("VERSION", version), ("--diff", diff)) if given is not None]
    asked += [name for name, given in (("--check", check), ("--write", write)) if given]
    if rules and (format_ is BehavioursFormat.json or asked not in ([], ["VERSION"])):
        raise UsageError("--rules prints the rules of one version, as text: leave out the other options.")
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} do not go together: give one of them.")
    if check or write:
        return _page(fixtures, check=check)
    from readfirst.harness.versions import behaviours_text as text
    from readfirst.harness.versions.behaviours import differences, standings
    from readfirst.reference_impl import DEFAULT_CONTRACT

    as_json = format_ is BehavioursFormat.json
    if diff is not None:
        found = differences(*diff)
        if as_json:
            stdout().write(text.differences_as_json(*diff, found))
        else:
            say_lines(text.differences_as_text(*diff, found))
        return ExitCode.NOT_CONFORMANT if found else ExitCode.CONFORMANT
    named = version or DEFAULT_CONTRACT
    if rules:
        from readfirst.harness.versions.rules_in_order import rules_as_text

        say_lines(rules_as_text(named))
        return ExitCode.CONFORMANT
    known = standings(named)
    if as_json:
        stdout().write(text.standings_as_json(named, known))
    else:
        say_lines(text.standings_as_text(named, known))
    return ExitCode.CONFORMANT


def _page(fixtures: Fixtures, *, check: bool) -> int:
    """Check or write the tables of docs/reference.md."""
    from readfirst.harness.cli.suite_page import is_fresh, page_file
    from readfirst.harness.source.atomic import write_all
    from readfirst.harness.versions.behaviours_text import with_tables

    file = page_file(open_suite(fixtures), "reference.md")
    if file is None or not file.is_file():
        raise UsageError(
            "There is no docs/reference.md next to this suite: name the fixtures of a checkout with --fixtures."
        )
    page = with_tables(file.read_text("utf-8"))
    if is_fresh(file, page):
        return ExitCode.CONFORMANT
    if check:
        say(f"{file} is stale. Write it with `readfirst product behaviours --write`.", err=True)
        return ExitCode.NOT_CONFORMANT
    write_all({file: page.encode()})
    say(f"wrote {file}", err=True)
    return ExitCode.CONFORMANT
