"""Chosen: the drawn scenarios that the suite has, by theme and number.

Written by `python3 tools/mutation/choose.py`: each was chosen because it tells exceptions of rules that none before it
told.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CHOSEN"]

CHOSEN: Mapping[str, tuple[int, ...]] = {
    "quotes": (20, 41, 44, 84, 89),
    "places": (5, 44),
    "blanks": (8, 35),
    "parts": (26,),
    "sizes": (8, 153, 169),
    "spaced": (1, 3),
    "returns": (71,),
    "tilde": (2, 4, 17, 26),
    "own": (57, 67),
    "writes": (55,),
    "changed": (71,),
    "made": (3, 22, 83, 101, 104),
    "denied": (10, 11, 12, 18, 56, 58),
    "elsewhere": (8, 14, 15, 44, 54, 69, 80, 109),
    "during": (27, 28, 38, 63, 81, 82, 93, 104),
    "notebooks": (36, 93),
    "named": (3, 9, 57, 58, 79, 81),
    "settings": (71, 80, 93, 98, 103),
    "impossible": (16, 19, 25, 48, 49, 53),
}
