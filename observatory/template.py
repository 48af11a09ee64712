"""The templates of the observatory's pages and pictures."""

from pathlib import Path

_FOLDER = Path(__file__).with_name("templates")


def template(name: str) -> str:
    """Return the path of a template or a style sheet of the observatory. Used by the functions that render pages."""
    return str(_FOLDER / name)
