"""Route each call to its session, while sessions and sub-agents start, end, resume and run in the background."""

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

_APART = "at once"


class Conversation:
    """The sessions of a scenario: the main session, its sub-agents, and a second session. `session` is the active
    one.

    `begin` opens the main session, and a new one after a kill. It also opens a second session that acts alternately
    with the main session. `apart` opens a second session that acts at the same time.
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
        """The active session, which makes the next call. After a kill, a new main session is opened."""
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
        """Record that the program was killed. The next step either resumes the session or uses a new session."""
        self._killed = True

    def undergo(self, event: SessionEvent, root: str = "") -> None:
        """Perform an event of the session, such as `resume`. `root` is the path of the workspace. Raises
        AdapterError if the session does not have the required method.
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
                    raise AdapterError(f"sub_agent() gave a {type(agent).__name__}, which is no session")
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
    """Return the session if it has the methods of `protocol`. Otherwise raises AdapterError; the message names the
    capability that the adapter declares and the missing method.
    """
    if not isinstance(session, protocol):
        raise AdapterError(f"the adapter declares `{capability}`, but its session has no {method}")
    return session
