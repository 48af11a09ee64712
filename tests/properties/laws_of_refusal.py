"""Laws of refusal: what a refused call leaves behind, and when a call may not go through."""

from moment import Moment, Seen, State, followed
from registry import law, suppose

from readfirst.reference_impl import Behaviours


def files_of(state: State) -> dict[str, Seen]:
    """Return all but the directories: their times tell of what came and went in them."""
    return {path: seen for path, seen in state.items() if seen.kind != "directory"}


def asks_for_a_read(behaviours: Behaviours) -> bool:
    return behaviours.freshness.edit_needs_read and behaviours.freshness.write_needs_read


def replaces_files(behaviours: Behaviours) -> bool:
    return behaviours.writing.writes_replace_the_file


@law
def a_refused_call_changes_nothing(moment: Moment) -> None:
    """1. After a refusal every path has the bytes, mode, time and inode it had, and none was added."""
    suppose(moment.refused and moment.room is None)
    assert moment.after == moment.before


@law
def a_refused_call_is_refused_in_the_same_words_again(moment: Moment) -> None:
    """2. A repeated refused call gets the same answer. A stale file is left out: the session takes note of it."""
    before = moment.previous
    suppose(moment.repeats and before.refused and not before.stale and before.is_usual)
    assert moment.answer == before.answer


@law
def equal_strings_are_refused(moment: Moment) -> None:
    """9. An Edit that would replace a text by itself is refused, whatever the file holds or whether it is there.

    Blanks at the ends of lines are left out: they are taken from the new text only.
    """
    suppose(
        moment.tool == "Edit" and moment.fits and moment.old == moment.arguments["new_string"] == moment.new
    )
    assert moment.refused
    assert moment.result.text.startswith("No changes to make")


@law(where=asks_for_a_read)
def only_a_known_file_is_changed(moment: Moment) -> None:
    """10. Edit and Write go through on an existing file only after a successful Read, Edit or Write of that path.

    Left out is what fills a blank file where only the validation, which takes that for a new one, asks for a Read.
    """
    suppose(moment.tool in ("Edit", "Write") and moment.fits and moment.target is not None)
    suppose(moment.record is None)
    suppose(
        moment.behaviours.freshness.execution_rechecks_freshness or moment.tool == "Write" or moment.old != ""
    )
    assert moment.refused


@law
def what_happens_to_a_file_never_makes_it_unread(moment: Moment) -> None:
    """11. Once a path was read or written, no change on disk makes the session say that it was not read.

    Left out is what the session wrote where it forgets such files once they are gone.
    """
    suppose(moment.record is not None and moment.tool in ("Edit", "Write"))
    suppose(
        not moment.behaviours.memory.missing_files_are_forgotten
        or (moment.record is not None and moment.record.tool == "Read")
    )
    assert not moment.not_read


@law(where=asks_for_a_read)
def an_unread_file_is_named_first(moment: Moment) -> None:
    """19. On an unread text file the answer is that it was not read, whether or not the text is in it."""
    suppose(moment.record is None and moment.target is not None and not str(moment.path).endswith(".ipynb"))
    suppose(moment.tool == "Edit" and moment.asks_for_something and moment.can_be_written)
    assert moment.not_read


@law
def a_denied_path_stays_as_it_is(moment: Moment) -> None:
    """32. No spelling of a denied path gets through, whatever was read or tried before, and nothing changes."""
    suppose(moment.denied)
    assert moment.refused or moment.tool == "Read"
    assert moment.after == moment.before


@law
def an_error_says_little_more_than_it_was_asked(moment: Moment) -> None:
    """37. A refusal is valid Unicode and at most 1,000 characters longer than what was asked."""
    suppose(moment.refused)
    moment.result.text.encode()
    asked = sum(len(str(value)) for value in moment.arguments.values())
    assert len(moment.result.text) <= 1000 + asked


@law(where=replaces_files)
def a_write_that_fails_leaves_the_old_bytes(moment: Moment) -> None:
    """30. Where the system takes no more bytes, the file keeps what it held, and nothing is left beside it."""
    suppose(moment.room is not None)
    if moment.refused:
        assert files_of(moment.after) == files_of(moment.before)
    else:
        after = followed(moment.after, moment.path)
        assert after is not None
        assert len(after.data or b"") <= moment.room
