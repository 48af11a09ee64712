"""Decide which session makes each call, while sessions and sub-agents start, end, resume and run concurrently."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, assert_never

from readfirst.harness.adapter_api import (
    AdapterError,
    BackgroundSession,
    CompactingSession,
    DelegatingSession,
    MentioningSession,
    ResumingSession,
    RewindingSession,
    Session,
)
from readfirst.harness.adapter_traits import close_session
from readfirst.harness.suite.scenario import SessionEvent

_SIMULTANEOUS = "at once"


class SessionRouter:
    """The sessions of a scenario: the main session, its sub-agents, and a second session. `open_session` opens the main
    session, also after a kill, and a second session that alternates with it. `open_simultaneous` opens a second session
    that acts at the same time as the main session.
    """

    def __init__(
        self, open_session: Callable[[], Session], open_simultaneous: Callable[[], Session] | None = None
    ) -> None:
        self._open_session = open_session
        self._open_simultaneous = open_simultaneous or open_session
        self._sessions = [open_session()]
        """The main session and the sub-agents above it. Each waits for the next; the last is active."""
        self._other_sessions: dict[str, Session] = {}
        """The second session (its key is empty) and the sub-agents in the background, by name."""
        self._was_killed = False

    @property
    def session(self) -> Session:
        """The active session, which makes the next call. After a kill, a new main session is opened."""
        if self._was_killed:
            self.close()
            self._sessions, self._was_killed = [self._open_session()], False
        return self._sessions[-1]

    @property
    def simultaneous_session(self) -> Session:
        """The second session, which can act at the same time as the main session."""
        if _SIMULTANEOUS not in self._other_sessions:
            self._other_sessions[_SIMULTANEOUS] = self._open_simultaneous()
        return self._other_sessions[_SIMULTANEOUS]

    def note_kill(self) -> None:
        """Record that the program was killed. The next step then resumes the session or uses a new session."""
        self._was_killed = True

    def perform_event(self, event: SessionEvent, root: str = "") -> None:
        """Perform an event, such as `resume`. `root` is the workspace. Raises AdapterError if a method is missing."""
        match event.kind:
            case "resume":
                self._was_killed = False
                require_method(self.session, ResumingSession, "resume", "resume()").resume()
            case "compact":
                require_method(self.session, CompactingSession, "compact", "compact()").compact()
            case "rewind":
                require_method(self.session, RewindingSession, "rewind", "rewind()").rewind()
            case "mention":
                mentioning = require_method(self.session, MentioningSession, "mentions", "mention()")
                mentioning.mention(f"{root}/{event.path}")
            case "agent":
                agent = require_method(self.session, DelegatingSession, "agents", "sub_agent()").sub_agent()
                if not callable(getattr(agent, "call", None)):
                    raise AdapterError(
                        f"sub_agent() returned a {type(agent).__name__}, which is not a session"
                    )
                self._sessions.append(agent)
            case "end":
                close_session(self._sessions.pop())
            case "other":
                if event.path not in self._other_sessions:
                    self._other_sessions[event.path] = self._open_session()
                self._sessions.append(self._other_sessions[event.path])
            case "background":
                if event.path not in self._other_sessions:
                    parent = require_method(
                        self.session, BackgroundSession, "background", "background_agent()"
                    )
                    self._other_sessions[event.path] = parent.background_agent()
                self._sessions.append(self._other_sessions[event.path])
            case "back":
                self._sessions.pop()
            case _:
                assert_never(event.kind)

    def close(self) -> None:
        """Close all sessions. Each sub-agent is closed before the session that started it."""
        while self._other_sessions:
            self._sessions.append(self._other_sessions.popitem()[1])
        while self._sessions:
            close_session(self._sessions.pop())


def run_simultaneously(actions: Sequence[Callable[[], object]]) -> None:
    """Run all actions at the same time in threads, and wait until they end. Raises the first exception."""
    start = threading.Barrier(len(actions))
    raised: list[BaseException] = []

    def act(action: Callable[[], object]) -> None:
        try:
            start.wait()
            action()
        except BaseException as error:  # raised below, in the waiting thread
            raised.append(error)

    threads = [threading.Thread(target=act, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def require_method(session: Session, protocol: type[Any], capability: str, method: str) -> Any:
    """Return the session if it has the methods of `protocol`. Otherwise, raise AdapterError, because the adapter
    declares the capability without its `method`.
    """
    if not isinstance(session, protocol):
        raise AdapterError(f"the adapter declares `{capability}`, but its session has no {method}")
    return session
