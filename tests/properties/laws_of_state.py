"""Laws of state: what the session knows of a file, and whether that still holds."""

from moment import A_MOMENT, Moment, followed
from registry import law


@law
def own_changes_are_never_stale(moment: Moment) -> None:
    """12. After a successful Edit or Write, and no change by others, the next call on the file is not stale."""
    if moment.is_as_recorded and moment.record is not None and moment.record.tool in ("Edit", "Write"):
        assert not moment.stale


@law
def a_file_just_read_is_not_stale(moment: Moment) -> None:
    """13. After a successful Read, and no change by others, the next call on the file is not stale."""
    if moment.is_as_recorded and moment.record is not None and moment.record.tool == "Read":
        assert not moment.stale


@law
def an_own_file_that_was_only_touched_can_be_edited(moment: Moment) -> None:
    """14. A later time alone does not make a file stale whose content the session has written itself."""
    record, target = moment.record, moment.target
    if moment.tool != "Edit" or record is None or record.seen is None or target is None or moment.struck:
        return
    if record.tool in ("Edit", "Write") and moment.is_fresh_change and target.is_plain:
        assert target.data != record.seen.data or not moment.stale


@law
def a_read_file_that_was_touched_is_stale(moment: Moment) -> None:
    """14. A later time makes a file stale that was read, whole or in part, even with the same content."""
    if moment.record is None or moment.record.tool != "Read" or not moment.asks_for_something:
        return
    if moment.shift is not None and moment.shift > A_MOMENT and not str(moment.path).endswith(".ipynb"):
        assert moment.stale


@law
def a_changed_file_is_not_changed_over(moment: Moment) -> None:
    """15. The first Edit or Write after somebody changed a known file, with a later time, is refused and keeps it."""
    record, target = moment.record, moment.target
    if record is None or record.seen is None or target is None or not moment.asks_for_something:
        return
    later = moment.shift is not None and moment.shift > A_MOMENT
    if later and moment.is_fresh_change and target.view != record.seen.view:
        assert moment.refused
        assert moment.after == moment.before


@law
def what_strikes_during_a_call_survives(moment: Moment) -> None:
    """16. A change between validation and execution, with a later time, is not overwritten by the call."""
    if moment.struck is not None and moment.target is not None:
        assert moment.refused
        after = followed(moment.after, moment.path)
        assert after is not None
        assert after.data == moment.target.data


@law
def a_read_recovers_from_anything(moment: Moment) -> None:
    """17. Whatever happened, after a Read of a whole text file an Edit of a text that is there once goes through."""
    before, target = moment.previous, moment.target
    if moment.tool != "Edit" or not moment.asks_for_something or moment.everywhere or moment.struck:
        return
    if before is None or not before.is_whole_read or before.path != moment.path or not moment.follows_at_once:
        return
    if target is not None and target.is_text and target.view.count(moment.old) == 1:
        assert not moment.refused


@law
def every_spelling_names_the_same_file(moment: Moment) -> None:
    """18. What was read as one spelling of a path can be edited as another; `.`, `..` and `//` make no difference."""
    before = moment.previous
    if before is None or before.refused or before.path != moment.path or not moment.follows_at_once:
        return
    if before.arguments.get("file_path") != moment.arguments.get("file_path"):
        assert not moment.not_read
        assert not moment.stale


@law
def the_same_steps_give_the_same_answers(moment: Moment) -> None:
    """36. The same steps in another workspace give the same texts and the same bytes."""
    if moment.echo is not None:
        answer, files = moment.echo
        assert moment.result == answer
        assert {path: (seen.data, seen.mode) for path, seen in moment.after.items()} == files


@law
def an_older_time_is_not_stale(moment: Moment) -> None:
    """15. Only a later time counts: a file whose time was set back can be edited."""
    if moment.shift is not None and moment.shift < -A_MOMENT and moment.struck is None:
        assert not moment.stale


@law
def the_workspace_is_what_the_model_says(moment: Moment) -> None:
    """3. Every file has the bytes and the mode that the calls and changes give it by plain replacement."""
    if moment.model is not None:
        found = {path: (seen.data, seen.mode) for path, seen in moment.after.items() if seen.kind == "file"}
        assert found == moment.model
