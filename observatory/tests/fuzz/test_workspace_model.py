"""The workspace that a generated session imagines."""

from typing import Any

import pytest

from readfirst.harness.suite.event_kinds import WorldEvent
from readfirst.observatory.fuzz.workspace_model import WorkspaceModel

UNKNOWN: Any = "melt"


def test_an_unknown_world_event_is_an_error() -> None:
    with pytest.raises(ValueError, match="no event 'melt'"):
        WorkspaceModel().event(WorldEvent(UNKNOWN, "a.txt"))
