"""The target that a pytest run tests with one suite: its contracts, and a runner for each contract."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, chdir, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from readfirst.harness.errors import ReadfirstError

if TYPE_CHECKING:
    from readfirst.harness.compare.baseline import BaselineResult
    from readfirst.harness.compare.verdict import Level, Verdict
    from readfirst.harness.run.run_options import RunOptions
    from readfirst.harness.run.runner import Runner


FOLDERS = ("scenarios", "corpus")
"""Directories of a suite that contain scenarios. Used to find the suite of a scenario file."""


def escape(text: str, kept: str = "") -> str:
    """Escape the control characters in a text that pytest prints. The characters in `kept` are not escaped."""
    from readfirst.harness.terminal import as_text

    return as_text(text, kept)


class UnconnectedError(ReadfirstError):
    """Raised if the connection to the target fails. The message contains the reason, and how to fix it."""


class Target:
    """The target of a pytest run with one suite, with a runner for each contract."""

    contracts: tuple[str, ...] = ()
    missing_because = "a required capability"
    """The reason that a message states if a scenario that must be judged was not judged."""
    level_warning = ""
    """A warning that the level of the baseline is lower than the level of the run. Empty if the levels agree."""

    def __init__(self, options: Any, layers: Layers) -> None:
        self._layers = layers
        self.name: str = options.readfirst_adapter or "reference"
        self.level: Level = options.readfirst_level or "text"
        self._options = options
        self._requirements = frozenset(options.readfirst_requirement or ())
        self._runners: dict[str, Runner] = {}

    def prepare(self) -> None:
        """Read the suite, the baseline and the options before the collection. Raises ReadfirstError."""
        from readfirst.harness.compare.baseline import BaselineChecker
        from readfirst.harness.run.capabilities import parse_capabilities
        from readfirst.harness.run.connect import target_defaults
        from readfirst.harness.run.run_command import check_coverage, chosen_contracts, open_baseline
        from readfirst.harness.suite.selection import select_rules
        from readfirst.harness.suite.suite import open_layers

        options = self._options
        self._suite = suite = open_layers(self._layers, trust=options.readfirst_trust)
        claims = parse_capabilities([*(options.readfirst_require or ()), *(options.readfirst_claims or ())])
        called = self.name
        if (defaults := target_defaults(self.name)) is not None:
            called, self.level = defaults.connect, options.readfirst_level or defaults.level
            claims = defaults.claims if claims is None else claims
        contracts = chosen_contracts(suite, self.name, tuple(options.readfirst_contract or ()), self.level)
        check_coverage(suite, contracts)
        self._rules = select_rules(suite, options.readfirst_rule or (), options.readfirst_class or ())
        file, name = options.readfirst_baseline, options.readfirst_name
        baseline = open_baseline(suite, file, name, called, "--readfirst-name") if file else None
        self._checker = BaselineChecker(baseline, claims)
        if baseline is not None:
            self.level_warning = escape(baseline.level_warning(self.level, "--readfirst-level"))
            if baseline.lacking is not None:
                self.missing_because = "a capability that the baseline does not list as unclaimed"
        self.contracts = contracts

    def has_replaced(self, scenario_id: str, path: Path) -> bool:
        """Whether another suite of the run replaces the scenario in the file `path` by a scenario with the same id."""
        has_layers = len(self._layers) > 1
        return has_layers and self._suite.has(scenario_id) and self._suite.path(scenario_id) != path

    def cases(self, path: Path, root: Path) -> Sequence[str] | None:
        """Return the last parts of the scenario ids in a file. None for a file with one scenario. Raises SuiteError."""
        if path.is_relative_to(root / "scenarios") and not path.name.endswith(".cases.yaml"):
            return None
        from readfirst.harness.suite.case_table import case_headings
        from readfirst.harness.yaml_io import strict_yaml

        return [*case_headings(strict_yaml.read(path, suite=root), path)]

    def selects(self, scenario_id: str) -> bool:
        """Whether the pytest options select a scenario. True if the scenario is invalid: its item shows the error."""
        if not self._requirements and self._rules is None:
            return True
        from readfirst.harness.yaml_io.finding import SuiteError

        try:
            heading = self._suite.heading(scenario_id)
        except SuiteError:
            return True
        is_required = not self._requirements or heading.requirement in self._requirements
        return is_required and (self._rules is None or heading.rule in self._rules)

    def _connect(self, contract: str) -> Runner:
        """Return the runner of a contract. The first use connects to the target. Raises UnconnectedError."""
        from readfirst.harness.adapter_api import AdapterError
        from readfirst.harness.processes.sandbox import SandboxUnavailableError
        from readfirst.harness.run.connect import ConnectError
        from readfirst.harness.run.runner import Runner, RunSpec

        if contract not in self._runners:
            spec = RunSpec(self._suite, self.name, contract, self.level, self._run_options())
            try:
                self._runners[contract] = Runner(spec)
            except (ConnectError, SandboxUnavailableError) as error:
                raise UnconnectedError(str(error).replace("--trust", "--readfirst-trust")) from error
            except AdapterError as error:
                message = f"{self.name!r} cannot be connected: {error}"
                raise UnconnectedError("\n".join(filter(None, (message, error.details.strip())))) from error
        return self._runners[contract]

    def _run_options(self) -> RunOptions:
        from readfirst.harness.run.run_options import RunOptions

        limit, settle = self._options.readfirst_time_limit, self._options.readfirst_settle / 1000
        return RunOptions(time_limit=limit, settle=settle)

    def judge(self, contract: str, scenario_id: str) -> tuple[Verdict, BaselineResult]:
        """Replay one scenario. Return its verdict, and whether the baseline accepts the verdict."""
        with self._directory():
            verdict = self._connect(contract).judge(scenario_id)
        return verdict, self._checker.apply_baseline(verdict)

    def unclaimed(self, contract: str) -> str:
        """Return the required but undeclared capabilities as text, or an empty text. Raises UnconnectedError."""
        with self._directory():
            return ", ".join(sorted(self._checker.required - self._connect(contract).claims))

    def _directory(self) -> AbstractContextManager[None]:
        """Return a context manager that changes to the base directory of relative paths in the connect string."""
        directory = getattr(self._options, "readfirst_directory", None)
        return nullcontext() if directory is None else chdir(directory)

    def explain(self, verdict: Verdict) -> str:
        """Return the explanation of a failed verdict. The command line prints the same text."""
        from readfirst.harness.report.failure import failure_text
        from readfirst.harness.run.run_command import RunRequest
        from readfirst.harness.suite.suite import default_root

        request = RunRequest(
            self._suite,
            self.name,
            fixtures=() if self._suite.roots == (default_root(),) else tuple(map(str, self._layers)),
            level=self.level,
            options=self._run_options(),
        )
        scenario = self._suite.scenario(verdict.scenario_id)
        return failure_text(verdict, scenario, request.commands(verdict.contract))

    def close(self) -> None:
        """End every process of the target."""
        while self._runners:
            self._runners.popitem()[1].close()


Layers = tuple[str | Path, ...]
"""The directories of suites that are tested as one suite."""
SUITES = pytest.StashKey[dict[Path, Layers]]()
"""Key in pytest's stash for the collected suites, which are stored by directory."""
TARGETS = pytest.StashKey[dict[Layers, Target]]()
"""Key in pytest's stash for the targets of a run. Each target is stored under the suites that are used to test it."""


def target_of(config: pytest.Config, root: Path) -> Target:
    """Return the target that is tested with the suite in `root`. The first call for a suite prepares the target, and
    raises ReadfirstError if this fails. Later calls then return a target that tests nothing.
    """
    targets, layers = config.stash.setdefault(TARGETS, {}), config.stash[SUITES][root]
    if layers not in targets:
        targets[layers] = Target(config.option, layers)
        targets[layers].prepare()
    return targets[layers]
