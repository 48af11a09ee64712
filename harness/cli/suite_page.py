"""Suite pages: files of docs/ that are made of a suite: where they belong, and writing or checking them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from readfirst.harness.cli.exits import UsageError
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say

if TYPE_CHECKING:
    from readfirst.harness.suite.suite import Suite


def page_file(suite: Suite, name: str) -> Path | None:
    """Return where a page of a suite belongs: in docs/ beside the folder of the fixtures.

    None for the copy of the suite inside the installed package, which has no documentation beside it.
    """
    if suite.installed:
        return None
    return suite.root.parent / "docs" / name


def own_page_file(suite: Suite, name: str) -> Path:
    """Return where a page of a suite belongs. Raises UsageError for the installed copy."""
    file = page_file(suite, name)
    if file is None:
        raise UsageError(
            "The bundled suite has no docs/ folder: name the fixtures of a checkout with --fixtures."
        )
    return file


def is_fresh(file: Path, page: str) -> bool:
    """Whether `file` holds exactly this page; one that is missing does not."""
    try:
        return file.read_bytes() == page.encode()
    except FileNotFoundError:
        return False


def keep_pages(pages: Mapping[Path, str], command: str, *, check: bool) -> int:
    """Write the pages that are stale, all or none, or with `check` only name them; `command` writes them.

    Return the exit code.
    """
    stale = {file: page for file, page in pages.items() if not is_fresh(file, page)}
    if not check:
        from readfirst.harness.source.atomic import write_all

        write_all({file: page.encode() for file, page in stale.items()})
    for file in stale:
        message = f"{file} is stale. Write it with `readfirst {command}`." if check else f"wrote {file}"
        say(message, err=True)
    return ExitCode.NOT_CONFORMANT if check and stale else ExitCode.CONFORMANT
