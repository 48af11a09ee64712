"""Route each call to its session, while sessions and sub-agents start, end, resume and run in the background."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, assert_never

from readfirst.harness.adapter_api import (
    BackgroundSession,
    BrokenAdapter,
    CompactingSession,
    DelegatingSession,
    MentioningSession,
    ResumingSession,
    RewindingSession,
    Session,
)
from readfirst.harness.adapter_traits import close_session
from readfirst.harness.suite.scenario import SessionEvent

_APART = "at once"


class Conversation:
    """The main session and its sub-agents. `session` is the active one.

    `begin` opens the main session, a second session, or a session after a kill. `apart` opens a session that
    can act at the same time.
    """

    def __init__(self, begin: Callable[[], Session], apart: Callable[[], Session] | None = None) -> None:
        self._begin = begin
        self._apart = apart or begin
        self._sessions = [begin()]
        self._beside: dict[str, Session] = {}
        """The second session (key: empty) and sub-agents in the background."""
        self._killed = False

    @property
    def session(self) -> Session:
        """The session of the running sub-agent, else the main session."""
        if self._killed:
            self.close()
            self._sessions, self._killed = [self._begin()], False
        return self._sessions[-1]

    @property
    def apart(self) -> Session:
        """A second session that can act at the same time as the main session."""
        if _APART not in self._beside:
            self._beside[_APART] = self._apart()
        return self._beside[_APART]

    def killed(self) -> None:
        """Record that the program is dead. The next step either resumes the session or starts another."""
        self._killed = True

    def undergo(self, event: SessionEvent, root: str = "") -> None:
        """Perform a session event in the workspace `root`. Raises BrokenAdapter if the session does not support
        it.
        """
        match event.kind:
            case "resume":
                self._killed = False
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
                    raise BrokenAdapter(f"sub_agent() gave a {type(agent).__name__}, which is no session")
                self._sessions.append(agent)
            case "end":
                close_session(self._sessions.pop())
            case "other" | "background":
                if event.path not in self._beside:
                    self._beside[event.path] = self._begin() if event.kind == "other" else self._background()
                self._sessions.append(self._beside[event.path])
            case "back":
                self._sessions.pop()
            case _:
                assert_never(event.kind)

    def _background(self) -> Session:
        delegating = require_method(self.session, BackgroundSession, "background", "background_agent()")
        session: Session = delegating.background_agent()
        return session

    def close(self) -> None:
        """Close all sessions, the innermost first."""
        while self._beside:
            self._sessions.append(self._beside.popitem()[1])
        while self._sessions:
            close_session(self._sessions.pop())


def at_once(actions: Sequence[Callable[[], object]]) -> None:
    """Run all actions at the same time and wait for their end. Raises the first exception."""
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
    """Return the session if it has the methods that its adapter declares. Raises BrokenAdapter if it does not."""
    if not isinstance(session, protocol):
        raise BrokenAdapter(f"the adapter declares `{capability}`, but its session has no {method}")
    return session
