"""The command `readfirst docs`."""

from __future__ import annotations

from pathlib import Path

import typer

import readfirst
from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.terminal import console, say_rows, stdout


def docs(
    page: str | None = typer.Argument(
        None, metavar="PAGE", help="The name of a page.", show_default="the list"
    ),
) -> None:
    """Print a page of the documentation, or list the pages."""
    from readfirst.harness.yaml_io.yaml_validation import did_you_mean

    known = pages()
    if page is None:
        texts = ((name, file.read_text("utf-8")) for name, file in known.items())
        say_rows((name, text.split("\n", 1)[0].lstrip("# ")) for name, text in texts)
        return
    name = page.lower().removeprefix("docs/").removesuffix(".md")
    if name not in known:
        raise UsageError(f"there is no page {page!r}. {did_you_mean(name, known)}")
    text = known[name].read_text("utf-8")
    if stdout().isatty():
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        stdout().write(text)


def pages() -> dict[str, Path]:
    """Return the files of the documentation by page name (`adapters`, `readme`), the README first."""
    package = Path(readfirst.__file__).parent
    root = package.parent if (package.parent / "fixtures" / "contracts.yaml").is_file() else package
    files = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    return {"index" if path == root / "docs" / "README.md" else path.stem.lower(): path for path in files}
