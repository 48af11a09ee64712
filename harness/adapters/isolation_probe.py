"""Probe whether sessions give the same results on a shared or restarted server as on separate servers.

The probe makes the same calls in several sessions: in a session with its own server, in consecutive sessions on one
server in the same workspace, and in sessions that share a server. It compares everything that a scenario could observe:
texts, refusals, and the files of the workspace. Tokens such as random ids and times are masked if they differ between
separate servers, because such a difference does not show that sessions affect each other.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import Session, ToolResult, Workspace
from readfirst.harness.adapter_traits import close_session
from readfirst.harness.adapters.mask_tokens import mask_tokens
from readfirst.harness.first_difference import first_difference
from readfirst.harness.processes.safe_open import open_directory
from readfirst.harness.suite.file_entry import Entry, RegularFile, TextContent
from readfirst.harness.suite.scenario import WorldEvent
from readfirst.harness.workspace.workspace_dir import WorkspaceDir
from readfirst.harness.workspace.world_events import create

Lend = Callable[[], AbstractContextManager[WorkspaceDir]]
"""A function that lends a workspace for one session, and assigns a shared or a separate server to the session."""
Open = Callable[[Workspace], Session]

_TEXTS = {"a.txt": "one\ntwo\nthree\n", "b.txt": "four\n", "sub/c.md": "five\nsix\n"}
_FILES = {name: RegularFile(TextContent(text)) for name, text in _TEXTS.items()}
_OTHER_FILES = {name: RegularFile(TextContent(text.upper())) for name, text in _TEXTS.items()}
_NEIGHBOUR_FILE = "beside.txt"
_EXTERNAL_CHANGE = WorldEvent(
    "modify", "a.txt", RegularFile(TextContent("zero\none\ntwo\nthree\n")), mtime=10
)
_FURTHER_FILES = 24
"""Number of additional files that an earlier session reads, because some servers remember only the latest files."""
_MAX_VALUE_CHARS = 40
"""Maximum characters that a message quotes of each of two different answers."""
_COMMON_CHARS = 12
"""Maximum number of equal characters that a message quotes before the first difference."""


@dataclass(frozen=True, slots=True)
class SharingResult:
    """The result of the probe: whether sessions may share a server."""

    reusable: bool = False
    """Whether a server may serve one session after another in the same workspace."""
    reusable_after_handshake: bool = False
    """Whether a server may serve one session after another, with a new handshake for each session."""
    refusal: str = ""
    """The reason why sessions in different workspaces must not share a server. Empty if they may."""


@dataclass(frozen=True, slots=True)
class _ProbeResult:
    """Result of one action of the probe, and the files afterwards. `action` describes the action: `a second Read`."""

    action: str
    result: ToolResult | None
    files: Mapping[str, Entry]
    masked: str = ""
    """The text of the answer without tokens, such as random ids."""

    @property
    def observation(self) -> tuple[object, ...]:
        """Return the text, the error flag and the files: everything that a scenario can observe."""
        flags = (self.result.is_error, self.result.error) if self.result is not None else ()
        return flags, self.masked, self.files

    def describe_difference(self, expected: "_ProbeResult") -> str:
        """Return a text that quotes the first difference between this result and the expected result."""
        result, before = self.result, expected.result
        if result is not None and before is not None:
            if result.is_error != before.is_error:
                return "refused instead of answered" if result.is_error else "answered instead of refused"
            if self.masked != expected.masked:
                return '"{}" instead of "{}"'.format(*_shorten(self.masked, expected.masked))
            if result.error != before.error:
                return f"the error {result.error} instead of {before.error}"
        paths = sorted({path for path, _ in {*self.files.items()} ^ {*expected.files.items()}})
        return f"other files ({', '.join(paths)})"


def probe_servers(
    open_: Open,
    tools: frozenset[str],
    *,
    separate: Lend,
    shared: Lend,
    reused: Lend,
    restarted: Lend,
    share: bool = True,
    mask: Callable[[str], str] = lambda text: text,
) -> SharingResult:
    """Call `tools` with servers that are assigned to sessions in different ways, and compare the results.

    Each `Lend` assigns servers in one way:

    - `separate`: a separate server for each session
    - `shared`: one server for several workspaces
    - `reused`: one server for consecutive sessions in the same workspace
    - `restarted`: as `reused`, but the handshake is repeated before each session

    `open_` opens a session. If `share` is false, `shared` is not tested. In the text of an answer, `mask` removes
    values that differ in each workspace.
    """
    probe = _Probe(open_, tools, mask)
    try:
        expected = probe.results(separate, separate)
        if probe.difference("separate", expected, separate, separate):
            probe = _Probe(open_, tools, lambda text: mask_tokens(mask(text)))
            expected = probe.results(separate, separate)
    except Exception as error:
        return SharingResult(refusal=f"a separate server broke when this was tried: {error}")

    is_reusable = probe.works_in_succession(expected, reused, separate)
    if not is_reusable and probe.works_in_succession(expected, restarted, separate):
        return SharingResult(reusable_after_handshake=True)
    result = SharingResult(reusable=is_reusable)
    if not share:
        return result
    if difference := probe.difference("above the workspace", expected, shared, separate):
        return replace(result, refusal=difference)
    for busy in (True, False):  # twice, for a server that adds text after a number of calls
        if difference := probe.difference("after another session", expected, shared, shared, busy=busy):
            return replace(result, refusal=difference)
    return result


class _Probe:
    def __init__(self, open_: Open, tools: frozenset[str], mask: Callable[[str], str]) -> None:
        self._open = open_
        self._tools = tools
        self._mask = mask

    def works_in_succession(self, expected: list[_ProbeResult], lend: Lend, neighbour: Lend) -> bool:
        """Whether consecutive sessions give the expected results. The parameters are those of `results`."""
        return not any(self.difference("again", expected, lend, neighbour, earlier=lend) for _ in range(2))

    def difference(
        self, when: str, expected: list[_ProbeResult], lend: Lend, neighbour: Lend, **options: Any
    ) -> str:
        """Return a description of the first call with an unexpected result. Empty if all results are expected. `when`
        is for example `after another session`. `results` explains the other parameters.
        """
        try:
            results = self.results(lend, neighbour, **options)
        except Exception as error:
            return f"a call is answered differently {when}: it broke ({' '.join(str(error).split())[:100]})"
        for before, result in zip(expected, results, strict=True):
            if result.observation != before.observation:
                values = result.describe_difference(before)
                return f"{result.action} is answered differently {when}: {values}"
        return ""

    def results(
        self,
        lend: Lend,
        neighbour: Lend,
        *,
        busy: bool = False,
        earlier: Lend | None = None,
    ) -> list[_ProbeResult]:
        """Make the calls of the probe in a workspace from `lend`, and return their results. The files are hard links to
        the files of a workspace from `neighbour`. If `busy`, an earlier session uses this second workspace. If
        `earlier` is given, an earlier session uses a workspace from `earlier`.
        """
        with neighbour() as other, ExitStack() as stack:
            if earlier is not None:
                with earlier() as same:
                    same.lay_out(_OTHER_FILES)
                    self._use_session(same)
            workspace = stack.enter_context(lend())
            start = _ProbeResult("a start", None, workspace.snapshot())
            other.lay_out(_FILES)
            if busy:
                self._use_session(other)
            _link_files(other, workspace)
            with self._session(workspace) as session:
                results = [start, *self._make_calls(session, workspace)]
            return [*results, _ProbeResult("the end of a session", None, workspace.snapshot())]

    @contextmanager
    def _session(self, workspace: WorkspaceDir) -> Iterator[Session]:
        session = self._open(Workspace(Path(workspace.root), Path(workspace.home), needs=self._tools))
        try:
            yield session
        finally:
            close_session(session)

    def _use_session(self, workspace: WorkspaceDir) -> None:
        """Open a session that could affect later ones: it reads many files, and makes an Edit that is refused."""
        workspace.lay_out(
            {f"{number}.txt": RegularFile(TextContent("text\n")) for number in range(_FURTHER_FILES)}
        )
        with self._session(workspace) as session:
            for name in (*_FILES, *(f"{number}.txt" for number in range(_FURTHER_FILES))):
                self._call(session, "Read", {"file_path": f"{workspace.root}/{name}"})
            wrong = {"file_path": f"{workspace.root}/a.txt", "old_string": "not there", "new_string": "x"}
            self._call(session, "Edit", wrong)

    def _make_calls(self, session: Session, workspace: WorkspaceDir) -> Iterator[_ProbeResult]:
        create(workspace.around, _NEIGHBOUR_FILE, RegularFile(b"beside\n"))

        def results(action: str, tool: str, name: str, **more: Any) -> Iterator[_ProbeResult]:
            result = self._call(session, tool, {"file_path": f"{workspace.root}/{name}", **more})
            if result is not None:
                text = workspace.with_placeholders(result.text)
                normalised = ToolResult(text, result.is_error, result.error)
                yield _ProbeResult(action, normalised, workspace.snapshot(), self._mask(text))

        def edit(action: str, name: str, old: str) -> Iterator[_ProbeResult]:
            yield from results(action, "Edit", name, old_string=old, new_string=old.upper())

        yield from edit("an Edit of an unread file", "a.txt", "one")
        yield from results("a Write over an unread file", "Write", "b.txt", content="FOUR\n")
        yield from results("a Read", "Read", "a.txt")
        yield from edit("an Edit", "a.txt", "two")
        yield from results("a second Read", "Read", "a.txt")
        workspace.perform(_EXTERNAL_CHANGE)
        yield from edit("an Edit of a changed file", "a.txt", "three")
        yield from results("a Read in a folder", "Read", "sub/c.md")
        yield from results("a Write", "Write", "sub/c.md", content="FIVE\n")
        yield from results("a Write of a new file", "Write", "new.txt", content="new\n")
        yield from edit("an Edit of a new file", "new.txt", "new")
        yield from results("a Read of a missing file", "Read", "a.md")
        yield from results("a Read of a file outside", "Read", f"../{_NEIGHBOUR_FILE}")

    def _call(self, session: Session, tool: str, arguments: Mapping[str, Any]) -> ToolResult | None:
        return session.call(tool, arguments) if tool in self._tools else None


def _shorten(*texts: str) -> Iterator[str]:
    """Shorten two texts to their first different line, and this line to the characters around the difference."""
    lines = zip_longest(*(text.split("\n") for text in texts), fillvalue="")
    pair = next((pair for pair in lines if pair[0] != pair[1]), texts)
    start = max(0, (first_difference(*pair) or 0) - _COMMON_CHARS)
    for line in pair:
        part, more = line[start : start + _MAX_VALUE_CHARS], line[start + _MAX_VALUE_CHARS :]
        yield f"{'...' if start else ''}{part}{'...' if more else ''}"


def _link_files(other: WorkspaceDir, workspace: WorkspaceDir) -> None:
    """Create hard links in a workspace to the files of another workspace, with the same names."""
    workspace.lay_out({})
    try:
        for name in _FILES:
            folder, _, last = name.rpartition("/")
            with (
                open_directory(f"{other.root}/{folder}") as source,
                open_directory(f"{workspace.root}/{folder}", make=True) as at,
            ):
                os.link(last, last, src_dir_fd=source, dst_dir_fd=at, follow_symlinks=False)
    except OSError:  # the file system does not support links
        workspace.lay_out(_FILES)
