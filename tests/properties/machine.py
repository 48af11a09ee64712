"""Machine: a Hypothesis state machine; its rules are the tools and the changes by others, its invariant the laws."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, ClassVar

from drawn import ARGUMENTS, DIFFERENT, FILES, LINES, MODES, PLAIN_LINES, SHIFTS, TEXTS, WORDS, news, quotes
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)
from moment import body
from registry import LAWS
from workshop import Workshop

from readfirst.harness.session import traits_of
from readfirst.harness.suite.entry import Entry, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.harness.workspace.site import SitePool
from readfirst.reference_impl import DEFAULT_CONTRACT, Behaviours, behaviours_of

NEW_NAMES = st.sampled_from(("new.txt", "made/by/write.txt", "other.txt"))
"""With the names of the first files fewer than the ten that a session remembers."""
SPELLINGS_OF_ALL = "$WS/{}"
SPELLINGS = st.sampled_from((SPELLINGS_OF_ALL, "$WS/./{}", "$WS//{}", "$WS/x/../{}"))
RANGES = st.fixed_dictionaries(
    {},
    optional={"offset": st.sampled_from((1, 2, 0, 100, -1)), "limit": st.sampled_from((1, 2, 0, 2000, -1))},
)
WRONG = st.sampled_from((1, None, "", "true", [], {}, ["alpha"], -1, 1.5))
BOOK = """\
{"cells": [{"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": "alpha"},
 {"cell_type": "markdown", "metadata": {}, "source": ["beta\\n", "gamma"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
"""
OPENINGS = (
    "nothing",
    "write twice",
    "touch",
    "there and back",
    "touch",
    "rename",
    "cell",
    "delete",
    "two parts",
    "twice the same",
    "mark",
    "change by others",
)
"""With what a run may begin."""
TIMES = st.sampled_from((1, 2))
"""How often a call is made, with nothing in between."""
RENAMED = 1000
"""Seconds by which a renamed file is later, so that two files written at the same time never are of the same time."""


class Machine(RuleBasedStateMachine):
    """One session in one workspace. `of` makes a machine for an implementation, some laws and a contract.

    `latest` is the workshop of the latest run; after a failure that is the smallest one that fails. `tally` counts over
    all runs how often each law had something to say, and what happened.
    """

    implementation: ClassVar[Any]
    place: ClassVar[SitePool]
    laws: ClassVar[tuple[str, ...]]
    behaviours: ClassVar[Behaviours]
    tally: ClassVar[Counter[str]]
    latest: ClassVar[Workshop]

    names = Bundle("names")

    @classmethod
    def of(
        cls,
        implementation: Any,
        place: SitePool,
        laws: Iterable[str] | None = None,
        contract: str = DEFAULT_CONTRACT,
    ) -> type["Machine"]:
        """Return a machine that drives the implementation; its invariants are the laws, or all of the contract."""
        behaviours = behaviours_of(contract)
        if laws is None:
            laws = [name for name, law in LAWS.items() if law.holds_with(behaviours)]
        members = {
            "implementation": implementation,
            "place": place,
            "laws": tuple(laws),
            "behaviours": behaviours,
            "tally": Counter(),
        }
        return type("Machine", (cls,), members)

    @initialize(target=names, first=FILES, second=FILES, data=st.data())
    def begin(self, first: RegularFile, second: RegularFile, data: st.DataObject) -> Any:
        files: dict[str, Entry] = {
            "notes.txt": first,
            "src/a.txt": second,
            "secret/notes.txt": RegularFile(TextContent("alpha\n")),
            "book.ipynb": RegularFile(TextContent(BOOK)),
        }
        twice = "the_same_steps_give_the_same_answers" in self.laws
        self.shop = Workshop(self.implementation, self.place, files, self.behaviours, twice=twice)
        type(self).latest = self.shop
        self.judged = 0
        self.open(data)
        return multiple("notes.txt", "src/a.txt")

    def open(self, data: st.DataObject) -> None:
        """Begin with what would happen too seldom by chance: the rules are not all used in every run."""
        name = "notes.txt"
        match data.draw(st.sampled_from(OPENINGS), label="opening"):
            case "write twice":
                self.write(name, "$WS/{}", True, data.draw(TEXTS), 2)
            case "touch":
                lines, known_by = data.draw(PLAIN_LINES), data.draw(st.sampled_from(("Read", "Write")))
                seconds, tool = data.draw(SHIFTS), data.draw(st.sampled_from(("Edit", "Write")))
                self.change_what_was_only_touched(name, lines, known_by, seconds, tool)
            case "there and back":
                self.edit_there_and_back(name, data.draw(PLAIN_LINES), 1, data.draw(DIFFERENT))
            case "rename":
                self.others_rename("src/a.txt", "other.txt")
                self.edit("other.txt", "$WS/{}", False, 2, data)
            case "two parts":
                self.read_in_two_parts(name, 1, ["first", *data.draw(PLAIN_LINES)], "\n")
            case "twice the same":
                self.read(name, "$WS/{}", {}, 2)
            case "mark":
                lines = data.draw(PLAIN_LINES)
                file = RegularFile(TextContent("\n".join([*lines, "end"]), bom=True))
                self.shop.event(WorldEvent("modify", name, file, mtime=2))
                self.shop.call("Read", file_path=f"$WS/{name}")
                self.shop.call("Edit", file_path=f"$WS/{name}", old_string="end", new_string=lines[0])
            case "change by others":
                tool = data.draw(st.sampled_from(("Read", "Write")))
                self.edit_what_others_have_just_changed(name, tool, 2, data.draw(FILES), data)
            case "delete":
                self.edit_a_line_of_plain_text(
                    name, data.draw(PLAIN_LINES), "\n", data.draw(st.booleans()), ""
                )
            case "cell" if "NotebookEdit" in traits_of(self.implementation).capabilities:
                self.edit_a_cell(True, 1, data.draw(TEXTS), {})

    def teardown(self) -> None:
        if hasattr(self, "shop"):
            self.tally.update(self.shop.happened)
            self.shop.close()

    @invariant()
    def the_laws_hold(self) -> None:
        judged, self.judged = self.judged, len(self.shop.told)
        for moment in self.shop.told[judged:]:
            for name in self.laws:
                try:
                    self.tally[name] += LAWS[name].judges(moment)
                except AssertionError as error:
                    error.add_note(f"The law {name}: {LAWS[name].statement}\n{moment.summary}")
                    raise

    # The tools

    @rule(name=names, spelling=SPELLINGS, part=RANGES, times=TIMES)
    def read(self, name: str, spelling: str, part: dict[str, int], times: int) -> None:
        for _ in range(times):
            self.shop.call("Read", file_path=self.spelt(spelling, name), **part)

    @rule(name=names, cut=st.integers(1, 3), lines=PLAIN_LINES, end=st.sampled_from(("\n", "")))
    def read_in_two_parts(self, name: str, cut: int, lines: list[str], end: str) -> None:
        path = f"$WS/{name}"
        self.put(name, lines, end)
        self.shop.call("Read", file_path=path)
        self.shop.call("Read", file_path=path, limit=cut)
        self.shop.call("Read", file_path=path, offset=cut + 1)

    @rule(name=names, spelling=SPELLINGS, everywhere=st.booleans(), times=TIMES, data=st.data())
    def edit(self, name: str, spelling: str, everywhere: bool, times: int, data: st.DataObject) -> None:
        old, new = self.drawn_edit(name, data)
        how = {"replace_all": True} if everywhere else {}
        for _ in range(times):
            self.shop.call(
                "Edit", file_path=self.spelt(spelling, name), old_string=old, new_string=new, **how
            )

    @rule(name=names, spelling=SPELLINGS, everywhere=st.booleans(), data=st.data())
    def read_and_edit(self, name: str, spelling: str, everywhere: bool, data: st.DataObject) -> None:
        self.shop.call("Read", file_path=f"$WS/{name}")
        self.edit(name, spelling, everywhere, 1, data)

    @rule(name=names, lines=PLAIN_LINES, data=st.data())
    def edit_everywhere(self, name: str, lines: list[str], data: st.DataObject) -> None:
        self.put(name, [*lines, lines[0]])
        self.shop.call("Read", file_path=f"$WS/{name}")
        self.edit(name, "$WS/{}", True, 1, data)

    @rule(
        name=names,
        lines=PLAIN_LINES,
        end=st.sampled_from(("\n", "")),
        gap=st.booleans(),
        new=st.one_of(st.just(""), WORDS.map(str), ARGUMENTS),
    )
    def edit_a_line_of_plain_text(self, name: str, lines: list[str], end: str, gap: bool, new: str) -> None:
        self.put(name, [*lines, "", "", "after the gap"] if gap else lines, end)
        self.shop.call("Read", file_path=f"$WS/{name}")
        self.shop.call("Edit", file_path=f"$WS/{name}", old_string=lines[0], new_string=new)

    @rule(
        name=names,
        lines=st.none() | PLAIN_LINES,
        indent=st.sampled_from(("\t", "", "  ")),
        number=st.integers(0, 3),
        new=LINES,
    )
    def edit_a_line_as_it_is_shown(
        self, name: str, lines: list[str] | None, indent: str, number: int, new: str
    ) -> None:
        path = f"$WS/{name}"
        if lines is not None:
            self.put(name, [indent + line for line in lines])
        shown = body(self.shop.call("Read", file_path=path).result.text).split("\n")
        line = shown[number % len(shown)]
        self.shop.call("Edit", file_path=path, old_string=line, new_string=new, replace_all=True)

    @rule(name=names, lines=PLAIN_LINES, at=st.integers(0, 2), texts=DIFFERENT)
    def edit_there_and_back(self, name: str, lines: list[str], at: int, texts: list[str]) -> None:
        old, new = texts
        path = f"$WS/{name}"
        self.put(name, [*lines[:at], f"({old})", *lines[at:]])
        self.shop.call("Read", file_path=path)
        self.shop.call("Edit", file_path=path, old_string=old, new_string=new)
        self.shop.call("Edit", file_path=path, old_string=new, new_string=old)

    @rule(lines=PLAIN_LINES, several=st.booleans(), data=st.data())
    def edit_with_both_line_ends(self, lines: list[str], several: bool, data: st.DataObject) -> None:
        text = "\n".join([*lines, ""])
        for name, eol in (("unix.txt", "lf"), ("windows.txt", "crlf")):
            self.shop.event(WorldEvent("modify", name, RegularFile(TextContent(text, eol=eol)), mtime=2))
            self.shop.call("Read", file_path=f"$WS/{name}")
        old, new = self.drawn_edit("unix.txt", data)
        if several:
            old = "\n".join(lines[:2])
        for name in ("unix.txt", "windows.txt"):
            self.shop.call("Edit", file_path=f"$WS/{name}", old_string=old, new_string=new)

    @rule(
        target=names,
        name=names | NEW_NAMES,
        spelling=SPELLINGS,
        known=st.booleans(),
        text=ARGUMENTS,
        times=TIMES,
    )
    def write(self, name: str, spelling: str, known: bool, text: str, times: int) -> str:
        if known:
            self.shop.call("Read", file_path=f"$WS/{name}")
        for _ in range(times):
            self.shop.call("Write", file_path=self.spelt(spelling, name), content=text)
        return name

    @rule(
        tool=st.sampled_from(("Edit", "Write", "Read")),
        spelling=SPELLINGS,
        known=st.booleans(),
        text=ARGUMENTS,
    )
    def try_what_is_denied(self, tool: str, spelling: str, known: bool, text: str) -> None:
        if known:
            self.shop.call("Read", file_path="$WS/secret/notes.txt")
        arguments = {
            "Edit": {"old_string": "alpha", "new_string": text},
            "Write": {"content": text},
            "Read": {},
        }[tool]
        self.shop.call(tool, file_path=self.spelt(spelling, "secret/notes.txt"), **arguments)

    @precondition(
        lambda self: "NotebookEdit" in traits_of(self.implementation).capabilities
    )  # others may stumble over it
    @rule(
        name=names,
        tool=st.sampled_from(("Edit", "Write", "Read")),
        argument=st.sampled_from(("old_string", "content", "offset", "replace_all", "description")),
        value=WRONG,
    )
    def call_with_wrong_arguments(self, name: str, tool: str, argument: str, value: object) -> None:
        self.shop.call(
            tool, file_path=f"$WS/{name}", **{"old_string": "a", "new_string": "b", argument: value}
        )

    @rule(name=names, tool=st.sampled_from(("Edit", "Write")), file=FILES, seconds=st.sampled_from((2, 3600)))
    def call_while_others_change_the_file(
        self, name: str, tool: str, file: RegularFile, seconds: int
    ) -> None:
        if not self.shop.is_file(name):
            return
        line = self.shop.text(name).split("\n")[0]
        arguments = {"content": "mine\n"} if tool == "Write" else {"old_string": line, "new_string": "mine"}
        self.shop.call("Read", file_path=f"$WS/{name}")
        event = WorldEvent("modify", name, RegularFile(file.content), mtime=seconds)
        self.shop.call_while(event, tool, file_path=f"$WS/{name}", **arguments)

    @rule(name=names, edits=st.lists(st.tuples(WORDS, LINES, st.booleans()), min_size=2, max_size=3))
    def edit_several_times_in_one_message(self, name: str, edits: list[tuple[str, str, bool]]) -> None:
        if not self.shop.is_file(name):
            return
        self.shop.event(WorldEvent("modify", name, RegularFile(TextContent("alpha\nbeta\na\n")), mtime=2))
        self.shop.call("Read", file_path=f"$WS/{name}")
        keys = ("file_path", "old_string", "new_string", "replace_all")
        self.shop.message(name, [dict(zip(keys, (f"$WS/{name}", *edit), strict=True)) for edit in edits])

    @rule(name=names, room=st.sampled_from((0, 1, 4)), tool=st.sampled_from(("Edit", "Write")))
    def call_where_the_disk_is_full(self, name: str, room: int, tool: str) -> None:
        line = self.shop.text(name).split("\n")[0]
        arguments = {"content": "mine\n"} if tool == "Write" else {"old_string": line, "new_string": "longer"}
        self.shop.call("Read", file_path=f"$WS/{name}")
        self.shop.call_with_room(room, tool, file_path=f"$WS/{name}", **arguments)

    @precondition(lambda self: "NotebookEdit" in traits_of(self.implementation).capabilities)
    @rule(
        known=st.booleans(),
        number=st.integers(0, 3),
        source=ARGUMENTS,
        how=st.fixed_dictionaries(
            {},
            optional={
                "edit_mode": st.sampled_from(("replace", "insert", "delete")),
                "cell_type": st.sampled_from(("code", "markdown")),
            },
        ),
    )
    def edit_a_cell(self, known: bool, number: int, source: str, how: dict[str, str]) -> None:
        name = "book.ipynb"
        if known:
            self.shop.call("Read", file_path=f"$WS/{name}")
        self.shop.call(
            "NotebookEdit", notebook_path=f"$WS/{name}", cell_id=f"cell-{number}", new_source=source, **how
        )

    # What others do

    @rule(name=names, file=FILES, seconds=SHIFTS)
    def others_write(self, name: str, file: RegularFile, seconds: int) -> None:
        self.shop.event(WorldEvent("modify", name, RegularFile(file.content), mtime=seconds))

    @rule(name=names, seconds=SHIFTS)
    def others_set_the_clock(self, name: str, seconds: int) -> None:
        self.shop.event(WorldEvent("touch", name, mtime=seconds))

    @rule(
        name=names,
        lines=PLAIN_LINES,
        known_by=st.sampled_from(("Read", "Write")),
        seconds=SHIFTS,
        tool=st.sampled_from(("Edit", "Edit", "Write")),
    )
    def change_what_was_only_touched(
        self, name: str, lines: list[str], known_by: str, seconds: int, tool: str
    ) -> None:
        path = f"$WS/{name}"
        self.put(name, lines)
        self.shop.call("Read", file_path=path)
        if known_by == "Write":
            self.shop.call("Write", file_path=path, content="\n".join(lines))
        self.others_set_the_clock(name, seconds)
        edit = {"old_string": lines[0], "new_string": "changed"}
        self.shop.call(tool, file_path=path, **(edit if tool == "Edit" else {"content": "changed"}))

    @rule(
        name=names,
        known_by=st.sampled_from(("Read", "Write", "Read", "Write", "nothing")),
        seconds=SHIFTS,
        file=FILES,
        data=st.data(),
    )
    def edit_what_others_have_just_changed(
        self, name: str, known_by: str, seconds: int, file: RegularFile, data: st.DataObject
    ) -> None:
        if known_by != "nothing":
            self.shop.call("Read", file_path=f"$WS/{name}")
        if known_by == "Write":
            self.shop.call("Write", file_path=f"$WS/{name}", content="alpha\n")
        self.others_write(name, file, seconds)
        self.edit(name, "$WS/{}", False, 1, data)
        if self.shop.latest is not None and self.shop.latest.stale:
            self.shop.call("Read", file_path=f"$WS/{name}")
            line = self.shop.text(name).split("\n")[0]
            self.shop.call("Edit", file_path=f"$WS/{name}", old_string=line, new_string="recovered")

    @rule(name=names)
    def others_delete(self, name: str) -> None:
        self.shop.event(WorldEvent("delete", name))

    @rule(target=names, name=names, to=NEW_NAMES)
    def others_rename(self, name: str, to: str) -> str:
        links = self.shop.model.links
        usable = name != to and name not in links and to not in links
        if usable and self.shop.event(WorldEvent("rename", name, to=to)):
            self.shop.event(WorldEvent("touch", to, mtime=RENAMED))
        return to

    @rule(name=names, mode=MODES)
    def others_change_the_mode(self, name: str, mode: int) -> None:
        self.shop.event(WorldEvent("chmod", name, mode=mode))

    @rule(target=names, target_name=st.sampled_from(("beside.txt", "missing.txt")), file=FILES)
    def others_make_a_link(self, target_name: str, file: RegularFile) -> str:
        if not self.shop.exists("link.txt"):
            self.shop.event(WorldEvent("modify", "beside.txt", RegularFile(file.content), mtime=2))
            self.shop.event(WorldEvent("symlink", "link.txt", Symlink(target_name)))
        return "link.txt"

    def put(self, name: str, lines: list[str], end: str = "\n") -> None:
        """Let others make a plain text of a file."""
        text = "\n".join(lines) + end
        self.shop.event(WorldEvent("modify", name, RegularFile(TextContent(text)), mtime=2))

    def spelt(self, spelling: str, name: str) -> str:
        """Return the path, spelt in some way where that makes no difference."""
        return (spelling if self.behaviours.paths.read_folds_dots else SPELLINGS_OF_ALL).format(name)

    def drawn_edit(self, name: str, data: st.DataObject) -> tuple[str, str]:
        text = self.shop.text(name)
        old = data.draw(quotes(text), label="old_string")
        return old, data.draw(news(text, old), label="new_string")
