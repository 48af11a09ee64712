"""Conversation: which session the next call belongs to, while the conversation goes on in one way or another."""

from collections.abc import Callable

from readfirst.harness.session import (
    BackgroundSession,
    BrokenAdapter,
    CompactingSession,
    DelegatingSession,
    MentioningSession,
    ResumingSession,
    RewindingSession,
    Session,
    close_session,
)
from readfirst.harness.suite.scenario import SessionEvent

_APART = "at once"


class Conversation:
    """The main session and the sub-agents that run in it; `session` is the one that acts now.

    `begin` opens the main session, another one that acts beside it, and one when a call comes after a kill. `apart`
    opens one that can act at the same time.
    """

    def __init__(self, begin: Callable[[], Session], apart: Callable[[], Session] | None = None) -> None:
        self._begin = begin
        self._apart = apart or begin
        self._sessions = [begin()]
        self._beside: dict[str, Session] = {}
        """The other session, which has no name, and sub-agents in the background."""
        self._killed = False

    @property
    def session(self) -> Session:
        """The session of the sub-agent that runs, else the main one."""
        if self._killed:
            self.close()
            self._sessions, self._killed = [self._begin()], False
        return self._sessions[-1]

    @property
    def apart(self) -> Session:
        """A second session, which can act at the same time as the main one."""
        if _APART not in self._beside:
            self._beside[_APART] = self._apart()
        return self._beside[_APART]

    def killed(self) -> None:
        """Take note that the program is dead: what comes next either resumes the session or begins another."""
        self._killed = True

    def undergo(self, event: SessionEvent, root: str = "") -> None:
        """Let an event happen in the workspace `root`. Raises BrokenAdapter where the session has no way for it."""
        match event.kind:
            case "resume":
                self._killed = False
                if not isinstance(self.session, ResumingSession):
                    raise _missing("resume", "resume()")
                self.session.resume()
            case "compact":
                if not isinstance(self.session, CompactingSession):
                    raise _missing("compact", "compact()")
                self.session.compact()
            case "rewind":
                if not isinstance(self.session, RewindingSession):
                    raise _missing("rewind", "rewind()")
                self.session.rewind()
            case "mention":
                if not isinstance(self.session, MentioningSession):
                    raise _missing("mentions", "mention()")
                self.session.mention(f"{root}/{event.path}")
            case "agent":
                if not isinstance(self.session, DelegatingSession):
                    raise _missing("agents", "sub_agent()")
                agent = self.session.sub_agent()
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

    def _background(self) -> Session:
        if not isinstance(self.session, BackgroundSession):
            raise _missing("background", "background_agent()")
        return self.session.background_agent()

    def close(self) -> None:
        """Close all sessions, the innermost first."""
        while self._beside:
            self._sessions.append(self._beside.popitem()[1])
        while self._sessions:
            close_session(self._sessions.pop())


def _missing(capability: str, method: str) -> BrokenAdapter:
    return BrokenAdapter(f"the adapter declares `{capability}`, but its session has no {method}")
