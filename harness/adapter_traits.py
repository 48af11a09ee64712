"""Optional properties and functions of an adapter: capabilities, design, declared refusals, shared servers, closing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Literal, Protocol, TypeVar, get_args

from readfirst.harness.adapter_api import BASIC_CAPABILITIES, Adapter, AdapterError, Session

_T = TypeVar("_T")

Design = Literal["strict", "hash-checked", "content-checked", "ungated"]
DESIGNS: tuple[Design, ...] = get_args(Design)
"""The designs that an implementation may declare. `strict`, like the contract, refuses to change a file that was not
read, or has changed since its Read. `hash-checked` compares the file's contents, and ignores a new modification time.
`content-checked` edits a changed file if the text to replace is still in it. `ungated` requires no Read.
"""
REFUSALS: Mapping[str, str] = {
    "not-utf-8": "a file that is not UTF-8",
    "empty-old-text": "an Edit with an empty old_string",
    "symbolic-link": "a path that leads through a symbolic link",
    "line-feed-for-crlf": "an old_string with LF for text in a file with CRLF",
    "missing-directory": "a Write into a directory that does not exist",
    "inexact-old-text": "an old_string that is in the file only with other quotes or in another spelling",
    "lines-below-one": "a Read with an offset or a limit below 1",
    "read-only-file": "a change of a file without write permission for its owner",
    "half-surrogate": "a text with half of a surrogate pair",
    "past-the-end": "a Read from a line after the last one",
    "binary-file": "a file with a NUL byte",
    "changed-content": "a change of a file whose content is different since its Read, whatever its time",
    "deleted-since-read": "a change of a file that was deleted after its Read",
}
"""Calls that an implementation may refuse if it declares so, although the contract answers them."""


@dataclass(frozen=True, slots=True)
class IsolationDecision:
    """The decision whether scenarios share a server, and the reason for it (`why`). `shared`: one server serves many
    scenarios. `restarted`: one server serves many scenarios, with a new handshake before each scenario. `process`: each
    scenario uses a separate server.
    """

    kind: Literal["shared", "restarted", "process"]
    why: str


@dataclass(frozen=True, slots=True)
class ServerUse:
    """A report on one session: whether the session shared its server with other sessions, and the reason (`why`)."""

    shared: bool
    why: str
    decision: IsolationDecision | None = field(default=None, compare=False)
    """The decision for all sessions of the run. None if it has not been made yet."""
    seconds: float = field(default=0.0, compare=False)
    """Duration of the session in seconds, including the start of a server."""


class Servers(Protocol):
    """A pool of servers for the sessions of an adapter. It also provides the workspaces of these sessions."""

    @property
    def use(self) -> ServerUse | None:
        """A report on the server that the latest session used. None before the first session."""

    def site(self, place: Any, scenario: Any, adapter: Adapter) -> AbstractContextManager[Any]:
        """Provide an empty workspace from the WorkspacePool `place`, and choose a shared or a separate server."""

    def must_repeat(self, status: str) -> bool:
        """Whether to repeat the latest scenario with a separate server. `status` is its status, such as `failed`."""

    def alone(self) -> AbstractContextManager[None]:
        """Return a context manager. Inside its block, each session uses a separate server."""

    def note_difference(self, scenario_id: str) -> None:
        """From now on, use a separate server for a scenario, because its result was different on a shared server."""


_FORMER_TRAITS: Mapping[str, str] = {
    "another": "clone",
    "disturbed": "was_contaminated",
    "isolates": "needs_isolation",
    "lacks": "unsupported_reason",
    "repeats_paths": "reuses_paths",
}
"""Former and current names of renamed fields of AdapterTraits. The former names are accepted for one more release."""


def _warn_of_former_name(former: str, stacklevel: int) -> str:
    """Warn that an adapter uses the former name of a field of AdapterTraits. Return the current name."""
    name = _FORMER_TRAITS[former]
    message = f"AdapterTraits.{former} is now AdapterTraits.{name}; the former name will be removed."
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel + 1)
    return name


def _accept_former_names(cls: type[_T]) -> type[_T]:
    """Class decorator: accept the former names of a dataclass's fields, as keywords and as properties."""
    init = cls.__init__

    @wraps(init)
    def init_with_former_names(self: _T, *values: Any, **fields: Any) -> None:
        for former in _FORMER_TRAITS.keys() & fields.keys():
            fields[_warn_of_former_name(former, 2)] = fields.pop(former)
        init(self, *values, **fields)

    def read(former: str) -> Callable[[Any], Any]:
        return lambda self: getattr(self, _warn_of_former_name(former, 2))

    type.__setattr__(cls, "__init__", init_with_former_names)
    for former in _FORMER_TRAITS:
        type.__setattr__(cls, former, property(read(former)))
    return cls


@_accept_former_names
@dataclass(frozen=True, slots=True)
class AdapterTraits:
    """Properties of an adapter that the harness uses. An adapter may declare them as its attribute `traits`."""

    capabilities: frozenset[str] = BASIC_CAPABILITIES
    """The tools that the implementation supports, and its capabilities; `docs/adapters.md` lists them."""
    reuses_paths: bool = False
    """Whether scenarios may use the same workspace path successively: a session remembers no earlier session."""
    in_memory: bool = False
    """Whether workspaces may be on any file system, so that the harness can put them in memory."""
    design: Design | None = None
    """The declared design. None: no design is declared, and all refusals of the contract are required."""
    refuses: frozenset[str] = frozenset()
    """Names of REFUSALS that the implementation declares: calls that it refuses although the contract answers them."""
    unsupported_reason: Callable[[str, Mapping[str, Any]], str] = lambda _tool, _arguments: ""
    """Returns the unsupported feature of a call (tool, arguments), such as `Read with pages`. Empty if supported."""
    needs_isolation: Callable[[Any], bool] = lambda _: False
    """Returns whether a Scenario requires a separate session. Its workspace is then `isolated`."""
    was_contaminated: Callable[[], bool] = lambda: False
    """Whether other parts of the conversation changed answers since the last query. The scenario is then repeated."""
    mask: Callable[[str], str] = lambda text: text
    """Replaces values in an answer that differ between equal sessions, such as version tokens."""
    servers: Servers | None = None
    """The pool that provides the servers of sessions, and their workspaces."""
    clone: Callable[[], Adapter] | None = None
    """Creates an adapter with a separate process, for a simultaneous session. None: each session has its process."""
    reset: Callable[[], None] = lambda: None
    """Ends processes that serve several sessions, so that the next session uses a new process."""
    close: Callable[[], None] = lambda: None
    """Ends all processes of the adapter."""


_ATTRIBUTES = (
    *("capabilities", "reuses_paths", "in_memory", "design", "refuses"),
    *("unsupported_reason", "reset", "close"),
)
"""The fields of AdapterTraits that an adapter without `traits` may have as its own attributes."""


def design_named(name: object) -> Design | None:
    """Return the design with the name `name`. None if `name` is None. Raises AdapterError for an unknown name."""
    design = next((design for design in DESIGNS if design == name), None)
    if name is not None and design is None:
        problem = f"the adapter declares the design {str(name)[:100]!r}"
        raise AdapterError(f"{problem}. The designs are: {', '.join(DESIGNS)}.")
    return design


def refusals_named(names: Collection[object]) -> frozenset[str]:
    """Return the names of declared refusals as a set. Raises AdapterError for a name that is not in REFUSALS."""
    unknown = sorted(str(name)[:100] for name in names if name not in REFUSALS)
    if unknown:
        raise AdapterError(
            f"the adapter declares unknown refusals: {', '.join(unknown)}. The known ones are: {', '.join(REFUSALS)}."
        )
    return frozenset(map(str, names))


def traits_of(adapter: Adapter) -> AdapterTraits:
    """Return the properties that an adapter declares in `traits` or in attributes (see `Adapter`), or the default."""
    declared = getattr(adapter, "traits", None)
    if isinstance(declared, AdapterTraits):
        return declared
    values = {name: getattr(adapter, name) for name in _ATTRIBUTES if hasattr(adapter, name)}
    for former in ("repeats_paths", "lacks"):
        if hasattr(adapter, former):
            values.setdefault(_warn_of_former_name(former, 1), getattr(adapter, former))
    for name in {"capabilities", "refuses"} & values.keys():
        values[name] = frozenset(values[name])
    return AdapterTraits(**values)


def close_session(session: Session) -> object:
    """Call the session's method `close()`, if any. Return its result. A coroutine must be run by the caller."""
    close = getattr(session, "close", None)
    return None if close is None else close()
