"""Parse the arguments of `readfirst diff`: each is a contract, the file of a run, or a connect string."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.diff.sources import ContractSide, RunSide, Side
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.report.jsonl import read_stream
from readfirst.harness.report.results import Run
from readfirst.harness.run.connect import kinds
from readfirst.harness.run.did_you_mean import suggest_target
from readfirst.harness.run.run_options import DEFAULT, RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.contracts import LATEST, Contract, suggest_contract
from readfirst.harness.suite.suite import Suite


class OperandError(ReadfirstError):
    """An argument of `readfirst diff` is not a contract, run file or connect string. The message proposes a fix."""


@dataclass(frozen=True, slots=True)
class SideParser:
    """Opens the two sides of a comparison, which the arguments of `readfirst diff` name. For a connect string, the
    scenarios `ids` are replayed. `replayed` is called after each replay.
    """

    suite: Suite
    ids: Sequence[str]
    options: RunOptions = DEFAULT
    replayed: Callable[[], None] = lambda: None

    def both(self, left: str, right: str) -> tuple[Side, Side]:
        """Return the two sides. A replayed implementation is compared with the contract on the other side, if any, or
        with the default contract. Raises OperandError, StreamError, UnreadableStreamError, ConnectError, AdapterError.
        """
        contracts = self.suite.contracts
        names = (name for name in (left, right) if name in contracts or name == LATEST)
        other_contract = next((contracts[name] for name in names), None)
        first, second = self._open_side(left, other_contract), self._open_side(right, other_contract)
        if first.name == second.name and left != right:
            # Two runs of one target are distinguished by their files.
            first = replace(first, name=left) if isinstance(first, RunSide) else first
            second = replace(second, name=right) if isinstance(second, RunSide) else second
        return first, second

    def _open_side(self, name: str, other_contract: Contract | None) -> Side:
        contracts = self.suite.contracts
        if name in contracts or name == LATEST:
            return ContractSide(self.suite, contracts[name])
        kind, colon, _ = name.partition(":")
        if name == "reference" or (colon and kind in kinds()):
            return self._run_target(name, other_contract or contracts[contracts.default])
        is_stream = name.endswith((".jsonl", ".json"))
        if not is_stream and (suggestion := suggest_target([name])):
            raise OperandError(f"{name!r} cannot be compared. Did you mean {suggestion}?")
        if is_stream or Path(name).exists():
            file = Path(name)
            chosen = self._select_run(file, read_stream(file), other_contract)
            if chosen.contract not in contracts:
                raise OperandError(
                    f"{file} was compared with {chosen.contract!r}, which is not a contract of this suite."
                )
            base = ContractSide(self.suite, contracts[chosen.contract])
            verdicts = tuple(verdict for verdict, _ in chosen.judged)
            return RunSide(chosen.name, base, verdicts, chosen.interrupted)
        raise OperandError(
            f"{name!r} is neither a contract of this suite, nor a file, nor a connect string."
            f" {suggest_contract(name, contracts.all)} Write a contract, a file that --format jsonl wrote,"
            f" or what to run: `reference`, `target:NAME@VERSION`,"
            f" `claude-code:{name if name[:1].isdigit() else 'VERSION'}`."
        )

    def _run_target(self, connect: str, contract: Contract) -> RunSide:
        verdicts: list[Verdict] = []
        for verdict in run(self.suite, connect, (contract.name,), "text", self.ids, self.options):
            verdicts.append(verdict)
            self.replayed()
        return RunSide(connect, ContractSide(self.suite, contract), tuple(verdicts))

    def _select_run(self, file: Path, runs: Sequence[Run], other_contract: Contract | None) -> Run:
        if len(runs) == 1:
            return runs[0]
        for candidate in runs:
            if other_contract is not None and candidate.contract == other_contract.name:
                return candidate
        names = ", ".join(candidate.contract for candidate in runs)
        raise OperandError(f"{file} contains runs on {names}. Write a file with a single --contract.")
