"""What the session wrote after it knew a file counts as newer, also where the clock stood still in between."""

from pathlib import Path

from readfirst.reference_impl import behaviours_of
from readfirst.reference_impl.session.session import Session


def opened(root: Path) -> Session:
    return Session.opened(behaviours_of("2.1.7"), root=str(root), home=str(root))
