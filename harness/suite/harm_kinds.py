"""The names of the kinds of harm, which rules, verdicts and pages use."""

from typing import Literal, get_args

Kind = Literal[
    "lost", "misplaced", "spoiled", "altered", "stray", "untrue", "trespass", "blind", "overcautious"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""All names of kinds, the worst first: the kinds of harm, then `blind` and `overcautious`, which are not harm."""
HARMS: tuple[Kind, ...] = KINDS[:7]
"""The kinds of harm: work is lost or spoiled."""
NON_HARM_KINDS: tuple[Kind, ...] = KINDS[7:]
"""Kinds that lose no work: `blind` (an edit of a file that was not read), `overcautious` (a refusal without need)."""

MEANING: dict[str, str] = {
    "lost": "lines are gone that no Edit had in its old text, and no Write replaced after the session had seen them",
    "misplaced": "an Edit replaced something other than the only occurrence of the old text",
    "spoiled": "bytes outside the replaced text changed, or the type, mode, owner, links or names of the file",
    "altered": "the written text differs from the requested text",
    "stray": "a file that no call named was changed, created or left behind",
    "untrue": "a call reported success without its effect, or was refused and still changed a file",
    "trespass": "a file was read or changed although permissions or modes forbid it",
    "blind": "an Edit of a file that the session was not shown and did not write",
    "overcautious": (
        "a call was refused although every recorded version answers it, and the contract's version does so without harm"
    ),
}
