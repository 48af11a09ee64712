"""The reasons why a mistake does no harm in the scenario that detects it. Used as `harmless` in the modules of wrong
implementations.
"""

NOTHING_LOST = "the edit applies to the current file, so every change by others is kept"
SHOWN_ANOTHER_WAY = "the session was shown the edited file by a command, a mention or under another name"
ALLOWED_REFUSAL = "some contracts refuse this call as well, so the refusal is not overcautious"
REMINDERS_ONLY = "reminders change no byte"
CONVENTION = "other tools have this convention, and every changed byte was requested"
EMPTY_OR_EQUAL = "the unread file is empty, or gets the bytes that it already has"
READS_ONLY = "the wrong Read changes nothing, and shows nothing of a denied file"
OWN_OR_SHOWN = "the session was shown all text that it replaces, or wrote it itself"
NOTHING_WRITTEN = "nothing is written after the wrong answer"
