"""Machine: a Hypothesis state machine; its rules are the tools and the changes by others, its invariant the laws."""

from collections.abc import Iterable
from typing import Any, ClassVar

from drawn import ARGUMENTS, FILES, LINES, MODES, SHIFTS, TEXTS, WORDS, news, quotes
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
from laws_of_reading import body
from registry import LAWS
from workshop import Workshop

from harness.entry import Entry, RegularFile, Symlink, TextContent
from harness.scenario import WorldEvent
from harness.session import capabilities_of
from harness.workspace import Place

NEW_NAMES = st.sampled_from(("new.txt", "made/by/write.txt", "other.txt"))
"""With the names of the first files fewer than the ten that a session remembers."""
SPELLINGS = st.sampled_from(("$WS/{}", "$WS/./{}", "$WS//{}", "$WS/x/../{}"))
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
RENAMED = 1000
"""Seconds by which a renamed file is later, so that two files written at the same time never are of the same time."""


class Machine(RuleBasedStateMachine):
    """One session in one workspace. `of` makes a machine for an implementation and some laws.

    `latest` is the workshop of the latest run; after a failure that is the smallest one that fails.
    """

    implementation: ClassVar[Any]
    place: ClassVar[Place]
    laws: ClassVar[tuple[str, ...]]
    latest: ClassVar[Workshop]

    names = Bundle("names")

    @classmethod
    def of(cls, implementation: Any, place: Place, laws: Iterable[str] = LAWS) -> type["Machine"]:
        """Return a machine that drives the implementation and has these laws as its invariants."""
        return type(
            "Machine", (cls,), {"implementation": implementation, "place": place, "laws": tuple(laws)}
        )

    @initialize(target=names, first=FILES, second=FILES)
    def begin(self, first: RegularFile, second: RegularFile) -> Any:
        files: dict[str, Entry] = {
            "notes.txt": first,
            "src/a.txt": second,
            "secret/notes.txt": RegularFile(TextContent("alpha\n")),
            "book.ipynb": RegularFile(TextContent(BOOK)),
        }
        self.shop = Workshop(
            self.implementation, self.place, files, twice="the_same_steps_give_the_same_answers" in self.laws
        )
        type(self).latest = self.shop
        self.judged = 0
        return multiple("notes.txt", "src/a.txt")

    def teardown(self) -> None:
        if hasattr(self, "shop"):
            self.shop.close()

    @invariant()
    def the_laws_hold(self) -> None:
        judged, self.judged = self.judged, len(self.shop.told)
        for moment in self.shop.told[judged:]:
            for name in self.laws:
                try:
                    LAWS[name](moment)
                except AssertionError as error:
                    error.add_note(f"The law {name}: {LAWS[name].__doc__}\n{moment.summary}")
                    raise

    # The tools

    @rule(name=names, spelling=SPELLINGS, part=RANGES)
    def read(self, name: str, spelling: str, part: dict[str, int]) -> None:
        self.shop.call("Read", file_path=spelling.format(name), **part)

    @rule(name=names, cut=st.integers(1, 4))
    def read_in_two_parts(self, name: str, cut: int) -> None:
        path = f"$WS/{name}"
        self.shop.call("Read", file_path=path)
        self.shop.call("Read", file_path=path, limit=cut)
        self.shop.call("Read", file_path=path, offset=cut + 1)

    @rule(name=names, spelling=SPELLINGS, everywhere=st.booleans(), data=st.data())
    def edit(self, name: str, spelling: str, everywhere: bool, data: st.DataObject) -> None:
        old, new = self.drawn_edit(name, data)
        how = {"replace_all": True} if everywhere else {}
        self.shop.call("Edit", file_path=spelling.format(name), old_string=old, new_string=new, **how)

    @rule(name=names, everywhere=st.booleans(), data=st.data())
    def read_and_edit(self, name: str, everywhere: bool, data: st.DataObject) -> None:
        self.shop.call("Read", file_path=f"$WS/{name}")
        self.edit(name, "$WS/{}", everywhere, data)

    @rule(
        name=names,
        lines=st.lists(LINES, min_size=1, max_size=4, unique=True),
        end=st.sampled_from(("\n", "")),
        new=WORDS | ARGUMENTS,
        back=st.booleans(),
    )
    def edit_a_line_of_plain_text(self, name: str, lines: list[str], end: str, new: str, back: bool) -> None:
        text = "\n".join(lines) + end
        self.shop.event(WorldEvent("modify", name, RegularFile(TextContent(text)), mtime=2))
        self.shop.call("Read", file_path=f"$WS/{name}")
        self.shop.call("Edit", file_path=f"$WS/{name}", old_string=lines[0], new_string=new)
        if back:
            self.take_the_edit_back()

    @rule(name=names, number=st.integers(0, 3), new=LINES)
    def edit_a_line_as_it_is_shown(self, name: str, number: int, new: str) -> None:
        path = f"$WS/{name}"
        lines = body(self.shop.call("Read", file_path=path).result.text).split("\n")
        line = lines[number % len(lines)]
        self.shop.call("Edit", file_path=path, old_string=line, new_string=new, replace_all=True)

    @rule()
    def take_the_edit_back(self) -> None:
        latest = self.shop.latest
        if latest is None or latest.tool != "Edit" or latest.refused:
            return
        new, old = latest.arguments["new_string"], latest.arguments["old_string"]
        path = latest.arguments["file_path"]
        self.shop.call("Edit", file_path=path, old_string=new, new_string=old)

    @rule(lines=TEXTS, data=st.data())
    def edit_with_both_line_ends(self, lines: str, data: st.DataObject) -> None:
        for name, eol in (("unix.txt", "lf"), ("windows.txt", "crlf")):
            self.shop.event(WorldEvent("modify", name, RegularFile(TextContent(lines, eol=eol)), mtime=2))
            self.shop.call("Read", file_path=f"$WS/{name}")
        old, new = self.drawn_edit("unix.txt", data)
        for name in ("unix.txt", "windows.txt"):
            self.shop.call("Edit", file_path=f"$WS/{name}", old_string=old, new_string=new)

    @rule(target=names, name=names | NEW_NAMES, spelling=SPELLINGS, text=ARGUMENTS)
    def write(self, name: str, spelling: str, text: str) -> str:
        self.shop.call("Write", file_path=spelling.format(name), content=text)
        return name

    @rule()
    def repeat_the_latest_call(self) -> None:
        latest = self.shop.latest
        if latest is not None and latest.tool in ("Read", "Edit", "Write"):
            self.shop.call(latest.tool, **latest.arguments)

    @rule(
        tool=st.sampled_from(("Edit", "Write", "Read")),
        spelling=SPELLINGS,
        text=ARGUMENTS,
    )
    def try_what_is_denied(self, tool: str, spelling: str, text: str) -> None:
        arguments = {
            "Edit": {"old_string": "alpha", "new_string": text},
            "Write": {"content": text},
            "Read": {},
        }[tool]
        self.shop.call(tool, file_path=spelling.format("secret/notes.txt"), **arguments)

    @precondition(
        lambda self: "NotebookEdit" in capabilities_of(self.implementation)
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

    @precondition(lambda self: "NotebookEdit" in capabilities_of(self.implementation))
    @rule(
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
    def edit_a_cell(self, number: int, source: str, how: dict[str, str]) -> None:
        name = "book.ipynb"
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
        known_by=st.sampled_from(("Read", "Write", "nothing")),
        seconds=SHIFTS,
        file=st.none() | FILES,
        data=st.data(),
    )
    def edit_what_others_have_just_changed(
        self, name: str, known_by: str, seconds: int, file: RegularFile | None, data: st.DataObject
    ) -> None:
        if known_by == "Read":
            self.shop.call("Read", file_path=f"$WS/{name}")
        elif known_by == "Write":
            self.shop.call("Write", file_path=f"$WS/{name}", content="alpha\n")
        if file is None:
            self.others_set_the_clock(name, seconds)
        else:
            self.others_write(name, file, seconds)
        self.edit(name, "$WS/{}", False, data)
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

    def drawn_edit(self, name: str, data: st.DataObject) -> tuple[str, str]:
        text = self.shop.text(name)
        old = data.draw(quotes(text), label="old_string")
        return old, data.draw(news(text, old), label="new_string")
