"""Laws of state: what the session knows of a file, and whether that still holds."""

from moment import A_MOMENT, Moment, followed
from registry import goes_by_the_time_of_the_file, law, suppose

from readfirst.reference_impl import Behaviours


def compares_own_content(behaviours: Behaviours) -> bool:
    return behaviours.freshness.touched_own_write_may_be_edited


def compares_what_was_read(behaviours: Behaviours) -> bool:
    return behaviours.freshness.touched_whole_read_may_be_edited


def distrusts_every_touch(behaviours: Behaviours) -> bool:
    return (
        goes_by_the_time_of_the_file(behaviours) and not behaviours.freshness.touched_whole_read_may_be_edited
    )


def checks_before_writing(behaviours: Behaviours) -> bool:
    return behaviours.freshness.execution_rechecks_freshness


def folds_paths(behaviours: Behaviours) -> bool:
    return behaviours.paths.read_folds_dots


@law(where=goes_by_the_time_of_the_file)
def own_changes_are_never_stale(moment: Moment) -> None:
    """12. After a successful Edit or Write, and no change by others, the next call on the file is not stale."""
    suppose(moment.is_as_recorded and moment.record.tool in ("Edit", "Write"))
    suppose(moment.tool in ("Edit", "Write") and not moment.struck)
    assert not moment.stale


@law(where=goes_by_the_time_of_the_file)
def a_file_just_read_is_not_stale(moment: Moment) -> None:
    """13. After a successful Read, and no change by others, the next call on the file is not stale."""
    suppose(moment.is_as_recorded and moment.record.tool == "Read")
    suppose(moment.tool in ("Edit", "Write") and not moment.struck)
    assert not moment.stale


@law(where=compares_own_content)
def an_own_file_that_was_only_touched_can_be_edited(moment: Moment) -> None:
    """14. A later time alone does not make a file stale whose content the session has written itself."""
    record, target = moment.record, moment.target
    suppose(moment.tool == "Edit" and moment.is_fresh_change and target is not None and not moment.struck)
    suppose(record.tool in ("Edit", "Write") and target.is_plain)
    suppose(moment.shift > A_MOMENT and target.data == record.seen.data)
    assert not moment.stale


@law(where=distrusts_every_touch)
def a_read_file_that_was_touched_is_stale(moment: Moment) -> None:
    """14. A later time makes a file stale that was read, whole or in part, even with the same content."""
    suppose(moment.record is not None and moment.record.tool == "Read" and moment.asks_for_something)
    suppose(moment.shift is not None and moment.shift > A_MOMENT and not str(moment.path).endswith(".ipynb"))
    assert moment.stale


@law(where=compares_what_was_read)
def a_read_file_that_was_only_touched_can_be_edited(moment: Moment) -> None:
    """14. A later time alone does not make a file stale of which all was read."""
    record, target = moment.record, moment.target
    suppose(moment.tool in ("Edit", "Write") and moment.is_fresh_change and target is not None)
    suppose(moment.previous.is_whole_read and moment.previous.path == moment.path and not moment.struck)
    suppose(target.is_plain and moment.shift > A_MOMENT and target.data == record.seen.data)
    assert not moment.stale


@law(where=goes_by_the_time_of_the_file)
def a_changed_file_is_not_changed_over(moment: Moment) -> None:
    """15. The first Edit or Write after somebody changed a known file, with a later time, is refused and keeps it.

    An Edit is left out where it goes through on what the others made of the file.
    """
    record, target = moment.record, moment.target
    suppose(moment.asks_for_something and moment.is_fresh_change and target is not None)
    suppose(moment.tool == "Write" or not moment.behaviours.freshness.edit_of_changed_file_recovers)
    suppose(moment.shift > A_MOMENT and moment.text(target) != moment.text(record.seen))
    assert moment.refused
    assert moment.after == moment.before


@law(where=checks_before_writing)
def what_strikes_during_a_call_survives(moment: Moment) -> None:
    """16. A change between validation and execution, with a later time, is not overwritten by the call.

    An Edit may go through where it replaces a text of what the others wrote.
    """
    suppose(moment.struck is not None and moment.target is not None)
    suppose(moment.text(moment.struck) != moment.text(moment.target))
    after = followed(moment.after, moment.path)
    assert after is not None
    if (
        moment.refused
        or moment.tool == "Write"
        or not moment.behaviours.freshness.edit_of_changed_file_recovers
    ):
        assert moment.refused
        assert after.data == moment.target.data
    else:
        suppose(moment.target.is_text and moment.old in moment.target.view)
        assert after.view == moment.target.view.replace(moment.old, moment.new)


@law(where=goes_by_the_time_of_the_file)
def a_read_recovers_from_anything(moment: Moment) -> None:
    """17. Whatever happened, after a Read of a whole text file an Edit of a text that is there once goes through."""
    suppose(
        moment.tool == "Edit" and moment.asks_for_something and not moment.everywhere and not moment.struck
    )
    suppose(moment.follows_a_whole_read and moment.can_be_written)
    target = moment.target
    suppose(target is not None and target.is_text and moment.text(target).count(moment.old) == 1)
    assert not moment.refused


@law(where=folds_paths)
def every_spelling_names_the_same_file(moment: Moment) -> None:
    """18. What was read as one spelling of a path can be edited as another; `.`, `..` and `//` make no difference."""
    before = moment.previous
    suppose(
        before is not None and not before.refused and before.path == moment.path and moment.follows_at_once
    )
    suppose(before.arguments.get("file_path") != moment.arguments.get("file_path"))
    suppose(moment.tool in ("Edit", "Write"))
    assert not moment.not_read
    assert not moment.stale


@law
def the_same_steps_give_the_same_answers(moment: Moment) -> None:
    """36. The same steps in another workspace give the same texts and the same bytes."""
    suppose(moment.echo is not None)
    answer, files = moment.echo
    assert moment.result == answer
    assert {path: (seen.data, seen.mode) for path, seen in moment.after.items()} == files


@law(where=goes_by_the_time_of_the_file)
def an_older_time_is_not_stale(moment: Moment) -> None:
    """15. Only a later time counts: a file whose time was set back can be edited."""
    suppose(moment.shift is not None and moment.shift < -A_MOMENT and moment.struck is None)
    suppose(moment.asks_for_something)
    assert not moment.stale


@law
def the_workspace_is_what_the_model_says(moment: Moment) -> None:
    """3. Every file has the bytes and the mode that the calls and changes give it by plain replacement."""
    suppose(moment.model is not None)
    found = {path: (seen.data, seen.mode) for path, seen in moment.after.items() if seen.kind == "file"}
    assert found == moment.model
