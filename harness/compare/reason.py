"""Reason: why a baseline accepts a failure, and what does not say why."""

UNEXPLAINED = "not explained yet"
"""The reason of an entry that nobody has explained; a harm is not accepted so."""

LUCK = "How far a call comes that is ended in its middle, and who of two is faster, is a matter of luck."
"""The reason of what varies from run to run, for that."""

_FILES = {
    "file: byte order mark": "It leaves a byte order mark where the contract does not, or the reverse.",
    "file: line ends": "It writes other line endings than the contract.",
    "file: newline at the end": "What it writes ends with a newline where the contract's does not, or the reverse.",
    "file: blanks at line ends": "It writes blanks at the ends of lines that a model's call loses in the contract.",
    "file: newlines": "It leaves newlines where the contract does not, or the reverse.",
    "file: blanks and newlines": "It leaves blanks where the contract does not, or the reverse.",
    "path: left over": "It leaves a file that the contract does not.",
    "path: missing": "It makes no file where the contract does.",
    "path: another kind": "It leaves a file of another kind than the contract does.",
    "mode": "The file's mode is not that of the contract.",
}
"""What the files afterwards differ in, as a sentence."""


def described(because: str) -> str:
    """Say a signature as a sentence, for a failure that harms nobody and that nobody has explained yet."""
    level, _, rest = because.partition(": ")
    match level:
        case "effects" if rest.startswith("not refused, expected "):
            return f"It carries out a call that the contract refuses: {rest.rpartition(' ')[2]}."
        case "effects" if rest.startswith("refused: "):
            return f"It refuses what the contract does: {rest.removeprefix('refused: ')}"
        case "effects":
            return _FILES.get(rest, "The files afterwards are not those of the contract.")
        case "reason" if rest.endswith("said something else"):
            return "It refuses too, in words to which the mapping gives no error name."
        case "reason":
            return f"It refuses too, for another reason: {rest}."
        case "broken":
            return f"It ends early: {rest}"
        case _:
            return "Its words are not those of the contract."


def explains(reason: str, because: str) -> bool:
    """Whether a reason says why a harm is accepted, and not only how the effects differ.

    Of an `overcautious` refusal its own words do: they say what was refused.
    """
    effects = because[max(because.find("effects: "), 0) :]
    if because.startswith("safe: overcautious: ") and effects.startswith("effects: refused: "):
        return reason != UNEXPLAINED
    return reason not in (UNEXPLAINED, LUCK, described(effects))
