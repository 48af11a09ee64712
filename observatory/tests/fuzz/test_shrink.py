"""A scenario that is reduced by `shrink` shows the original finding and nothing else."""

from random import Random

from readfirst.harness.suite.file_entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, ToolCall, WorldEvent
from readfirst.observatory.fuzz.generate import several_files_scenario
from readfirst.observatory.fuzz.shrink import shrink

READ = ToolCall("Read", {"file_path": "$WS/notes.txt", "limit": 3})
WRITE = ToolCall("Write", {"file_path": "$WS/notes.txt", "content": "one\n“two”\nthree"})
TOUCH = WorldEvent("touch", "notes.txt", mtime=-10)


def scenario(*steps: object, **files: str) -> Scenario:
    given = {
        {"a": "notes.txt"}.get(path, path): RegularFile(TextContent(text, eol="crlf"), 0o600)
        for path, text in files.items()
    }
    return Scenario("fuzz/one", "Some steps", "observed", Given(given), steps)  # type: ignore[arg-type]


def writes_a_quote(candidate: Scenario) -> bool:
    return any("“" in str(call.arguments.get("content")) for call in candidate.calls())


def test_steps_files_arguments_and_characters_that_do_not_matter_go() -> None:
    smallest = shrink(scenario(READ, TOUCH, WRITE, READ, a="x", b="y"), writes_a_quote)
    assert smallest.given.files == {}
    assert smallest.steps == (ToolCall("Write", {"content": "“"}),)


def test_what_is_needed_together_stays_together() -> None:
    def shows(candidate: Scenario) -> bool:
        kinds = [getattr(step, "tool", None) or getattr(step, "kind", None) for step in candidate.steps]
        return "touch" in kinds and kinds[-1] == "Write" and "Read" in kinds[: kinds.index("touch")]

    smallest = shrink(scenario(WRITE, READ, READ, TOUCH, READ, WRITE, READ, WRITE, a="x"), shows)
    assert [type(step).__name__ for step in smallest.steps] == ["ToolCall", "WorldEvent", "ToolCall"]
    assert smallest.steps[1] == WorldEvent("touch", "notes.txt", mtime=2)


def test_a_text_is_shortened_everywhere_at_once() -> None:
    edit = ToolCall("Edit", {"file_path": "$WS/notes.txt", "old_string": "some long name", "new_string": "z"})

    def finds(candidate: Scenario) -> bool:
        files = [
            entry.data.decode() for entry in candidate.given.files.values() if isinstance(entry, RegularFile)
        ]
        old = [str(call.arguments.get("old_string", "")) for call in candidate.calls()]
        return any(text and text in content for text in old for content in files)

    smallest = shrink(scenario(edit, a="before\nsome long name\nafter"), finds)
    (call,) = smallest.calls()
    assert len(call.arguments["old_string"]) == 1
    assert smallest.given.files["notes.txt"] == RegularFile(TextContent(call.arguments["old_string"]))


def test_groups_and_races_are_taken_apart() -> None:
    race = ToolCall("Write", WRITE.arguments, during=(TOUCH,))
    smallest = shrink(scenario(ParallelCalls((READ, WRITE, READ)), race), writes_a_quote)
    assert smallest.steps == (ToolCall("Write", {"content": "“"}),)


def test_a_path_becomes_plain_unless_it_matters() -> None:
    read = ToolCall("Read", {"file_path": "$WS/src/../deep/er/.env"})
    deep = scenario(read, WorldEvent("touch", "deep/er/.env", mtime=2), **{"deep/er/.env": "x"})

    def touches(candidate: Scenario) -> bool:
        paths = [getattr(step, "path", None) for step in candidate.steps]
        return len(candidate.steps) == 2 and paths[1] in candidate.given.files

    assert shrink(deep, touches).steps[1] == WorldEvent("touch", "notes.txt", mtime=2)
    hidden = shrink(deep, lambda each: touches(each) and "/." in str(next(each.calls()).arguments))
    assert hidden.steps[0] == ToolCall("Read", {"file_path": "$WS/deep/er/.env"})


def test_no_more_questions_are_asked_than_allowed() -> None:
    asked = []

    def shows(candidate: Scenario) -> bool:
        asked.append(candidate)
        return False

    shrink(several_files_scenario(Random(1)), shows, attempts=17)
    assert len(asked) == 17


def test_what_the_first_step_makes_becomes_a_given_file() -> None:
    def shows(candidate: Scenario) -> bool:
        return len(candidate.given.files) + len(candidate.steps) == 2

    for step in (WRITE, WorldEvent("modify", "notes.txt", RegularFile(TextContent("one")), mtime=2)):
        smallest = shrink(scenario(step, READ), shows)
        assert (list(smallest.given.files), len(smallest.steps)) == (["notes.txt"], 1)


def test_a_write_by_a_roundabout_path_becomes_a_given_file_that_can_be_written_down() -> None:
    """A scenario file cannot contain the path `./notes.txt`, so the path becomes `notes.txt`."""
    steps = (
        ToolCall("Write", {"file_path": "./notes.txt", "content": "alpha\n"}),
        ToolCall("Edit", {"file_path": "$WS/notes.txt", "old_string": "alpha", "new_string": "b"}),
    )
    found = shrink(
        Scenario("fuzz/x", "X", "observed", Given(), steps),
        lambda each: (
            any(call.tool == "Edit" for call in each.calls())
            and bool(each.given.files or len(each.steps) > 1)
        ),
    )
    assert [*found.given.files] == ["notes.txt"]
