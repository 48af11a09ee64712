"""Site command: `readfirst field site`; the command line registers it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.cli.options import Fixtures, open_suite
from readfirst.harness.cli.version import version
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say

# Everything else is imported by the command that needs it, as in the command line itself.


@guarded
def site(
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder for the site.")],
    url: Annotated[
        str, typer.Option(help="Where it will be published, for search engines.", show_default="nowhere")
    ] = "",
    fixtures: Fixtures = None,
) -> int:
    """Make a static site: the rules, the implementations, the versions and the docs, with search.

    It works from a folder, without a server and without a network. Needs the extra `site`.
    """
    from readfirst.harness.site.facts import Facts
    from readfirst.harness.site.site import write_site

    suite = open_suite(fixtures)
    if suite.installed:
        raise UsageError("A site is made of a checkout: name its fixtures with --fixtures.")
    facts = Facts(suite, suite.root.parent / "docs")
    count = write_site(facts, suite.root.parent, output, url=url, version=version())
    say(f"{output}: {count:,} pages. Open {output / 'index.html'} in a browser.")
    return ExitCode.CONFORMANT
