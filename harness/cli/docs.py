"""Docs command: `readfirst docs`, and the pages that messages name; the command line registers it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import readfirst
from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import console, say_rows, stdout

# Everything else is imported by the command that needs it, as in the command line itself.


@guarded
def docs(
    page: Annotated[
        str | None, typer.Argument(metavar="PAGE", help="The name of a page.", show_default="the list")
    ] = None,
) -> int:
    """Print a page of the documentation, or list the pages."""
    from readfirst.harness.cli.docs import pages
    from readfirst.harness.source.inspection import did_you_mean

    known = pages()
    if page is None:
        for name, file in known.items():
            title = file.read_text("utf-8").split("\n", 1)[0].lstrip("# ")
            say_rows([(name, title)])
        return ExitCode.CONFORMANT
    name = page.lower().removeprefix("docs/").removesuffix(".md")
    if name not in known:
        raise UsageError(f"there is no page {page!r}. {did_you_mean(name, known)}")
    text = known[name].read_text("utf-8")
    if stdout().isatty():
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        stdout().write(text)
    return ExitCode.CONFORMANT


def pages() -> dict[str, Path]:
    """Return the pages by name (`adapters`, `readme`), those about the project as a whole first."""
    package = Path(readfirst.__file__).parent
    root = package.parent if (package.parent / "fixtures" / "contracts.yaml").is_file() else package
    files = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    return {"index" if path == root / "docs" / "README.md" else path.stem.lower(): path for path in files}
