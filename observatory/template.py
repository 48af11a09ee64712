"""The templates of the observatory's pages and pictures."""

from pathlib import Path

_FOLDER = Path(__file__).with_name("templates")


def template(name: str) -> str:
    """Return the name under which the suite's renderers find a template of the observatory, or a style sheet."""
    return str(_FOLDER / name)
