"""Product: how a worker process opens the real product of one contract."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.run.connect import connect
from readfirst.harness.session import Adapter
from readfirst.harness.suite.suite import Suite


@dataclass(frozen=True, slots=True)
class Product:
    """A value that opens `claude-code:<contract>` when it is called. `time_limit` is in seconds per call."""

    fixtures: Path
    contract: str
    time_limit: float

    def __call__(self) -> Adapter:
        """Install and open it. Raises BrokenAdapter."""
        suite = Suite(self.fixtures)
        contract = suite.contracts.find(self.contract)
        return connect(f"claude-code:{self.contract}", suite, contract=contract, time_limit=self.time_limit)
