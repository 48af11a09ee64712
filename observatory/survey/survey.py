"""Run every target, and write the results, the page and the baselines."""

import json
import pickle
import queue
import tempfile
import threading
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.compare.baseline import Baseline, BaselineChecker, load_baseline
from readfirst.harness.compare.baseline_file import baseline_text, with_first_difference
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.report import Commands, RunFacts, output
from readfirst.harness.report.jsonl import JsonlReport
from readfirst.harness.run.run_options import DEFAULT, RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.json_file import reading
from readfirst.observatory.survey.compatibility import tested_scenarios
from readfirst.observatory.survey.packed_results import JUDGED_REACHES, pack_results, unpack_results
from readfirst.observatory.survey.page import (
    FORMAT,
    is_fully_tested,
    page,
    result_data,
    states_tested_scenarios,
    target_result,
)
from readfirst.observatory.targets.catalogue import baseline_path
from readfirst.observatory.targets.mapping import Target
from readfirst.observatory.targets.translate import missing_capability
from readfirst.observatory.versions.retirement import derive_transcript

_WRITE_COMMAND = "readfirst targets implementations --write"


class SurveyError(ReadfirstError):
    """The stored results of a target cannot be extended by another run. The message names the file and the solution."""


@dataclass
class Survey:
    """Runs targets, compares them with the default and the newest contract, and stores the results in `folder`. Each
    run also writes `NAME@VERSION.jsonl` to `streams`, if specified. With `only_missing`, scenarios with a valid stored
    result are not run again. `sample` is the number of scenarios, spread evenly over the suite (None: all).
    """

    suite: Suite
    folder: Path
    _: KW_ONLY
    options: RunOptions = DEFAULT
    streams: Path | None = None
    version: str = "unknown"
    only_missing: bool = False
    sample: int | None = None
    _new_results: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)
    _stored_results: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)

    @cached_property
    def _contracts(self) -> list[str]:
        contracts = self.suite.contracts
        return list(dict.fromkeys((contracts.default, contracts.latest.name)))

    @property
    def files(self) -> tuple[Path, Path]:
        """The paths of implementations.json and implementations.md."""
        return self.folder / "implementations.json", self.folder / "implementations.md"

    def load_stored_results(self) -> None:
        """Load the results in `folder`. Those for a different default contract are ignored. Raises JsonFileError."""
        if not self.files[0].exists():
            return
        with reading(self.files[0], _WRITE_COMMAND) as known:
            targets = {each["target"]: each for each in known["targets"]}
            contracts = known["contracts"]
            usable = known["format"] == FORMAT and contracts[0] == self._contracts[0]
        if usable and contracts != self._contracts:
            alike = self._equally_answered_scenarios(contracts[-1])
            targets = {
                name: self._with_newest_contract(each, contracts[-1], alike) for name, each in targets.items()
            }
        self._stored_results = targets if usable else {}

    def _with_newest_contract(
        self, result: Mapping[str, Any], former: str, alike: Container[str]
    ) -> dict[str, Any]:
        """Return `result` extended to the newest contract by the results for `former` in the scenarios `alike`."""
        first, newest = self._contracts[0], self._contracts[-1]
        reach = {first: result["reach"][first]}
        if newest != first:
            known = unpack_results(result["reach"].get(former, {}))
            reach[newest] = pack_results({name: known[name] for name in known if name in alike})
        return {**result, "reach": reach}

    def _equally_answered_scenarios(self, former: str) -> frozenset[str]:
        """Return the scenarios whose recorded answers are equal in the newest contract and in the contract `former`."""
        newest, recordings = self._contracts[-1], self.suite.recordings
        found = ((each, recordings.recording(each)) for each in self.suite.ids())
        return frozenset(
            each
            for each, recording in found
            if (answers := recording.transcripts.get(newest)) is not None
            and answers == derive_transcript(recording, former)
        )

    def scenarios_to_run(self, target: Target) -> list[str]:
        """Return the ids of the scenarios that a run of a target must use. Raises SurveyError."""
        wanted = sample_ids(self.suite.ids(), self.sample) if self.sample is not None else self.suite.ids()
        earlier = self._result_to_extend(target)
        if earlier is None:
            return wanted
        known = unpack_results(earlier["reach"][self._contracts[0]])
        newest = unpack_results(earlier["reach"][self._contracts[-1]])
        seen = tested_scenarios(earlier) if states_tested_scenarios(earlier) else set()
        only_missing = {
            each
            for each in wanted
            if known.get(each, "error") == "error"
            or (known[each] in JUDGED_REACHES and (each not in seen or each not in newest))
        }

        def is_unclaimed(scenario_id: str) -> bool:
            """Whether a scenario contains a call that the target's mapping does not support."""
            calls = self.suite.scenario(scenario_id).calls()
            return any(missing_capability(target, call.tool, call.arguments) for call in calls)

        return [
            each
            for each in self.suite.ids()
            if each in only_missing or (known.get(each) in JUDGED_REACHES and is_unclaimed(each))
        ]

    def _result_to_extend(self, target: Target) -> dict[str, Any] | None:
        """Return the stored result that a run extends, if any. Raises SurveyError if the suite lacks its scenarios."""
        name = target.pinned
        kept = self._stored_results.get(name)
        if kept is not None and kept.get("design") != target.release.design:
            return None
        wanted = self.sample is not None or (self.only_missing and kept is not None and is_fully_tested(kept))
        if kept is None or not wanted:
            return None
        gone = sorted(unpack_results(kept["reach"][self._contracts[0]]).keys() - set(self.suite.ids()))
        if gone:
            raise SurveyError(
                f"{self.files[0]}: the results of {name} contain {gone[0]}, which is not in the suite any more. "
                f"Run {name} again without --missing."
            )
        return kept

    def run_all(
        self, chosen: Sequence[Target], *, baseline: bool = False
    ) -> Iterator[tuple[str, dict[str, Any] | AdapterError]]:
        """Run targets in parallel, one target per job, and yield each target's name and result when its run ends. The
        result is an AdapterError if the target cannot be connected. Other errors are raised.
        """
        at_once = min(self.options.jobs, len(chosen))
        if at_once < 2:
            for target in chosen:
                yield self._attempt(target, baseline, self.options.jobs, apart=False)
            return
        free = threading.Semaphore(at_once)
        done = queue.SimpleQueue[tuple[str, dict[str, Any] | AdapterError] | BaseException]()

        def work(target: Target) -> None:
            with free:
                try:
                    done.put(self._attempt(target, baseline, self.options.jobs // at_once, apart=True))
                except BaseException as error:  # raised again in the main thread
                    done.put(error)

        for each in chosen:
            threading.Thread(target=work, args=(each,), daemon=True).start()
        for _ in chosen:
            outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome

    def _attempt(
        self, target: Target, baseline: bool, jobs: int, *, apart: bool
    ) -> tuple[str, dict[str, Any] | AdapterError]:
        try:
            return target.pinned, self.run(target, baseline=baseline, jobs=jobs, apart=apart)
        except AdapterError as error:
            return target.pinned, error

    def run(
        self, target: Target, *, baseline: bool = False, jobs: int | None = None, apart: bool = False
    ) -> dict[str, Any]:
        """Run a target on `scenarios_to_run`, and return its new entry. With `baseline`, also rewrite its baseline
        file. `jobs`, `apart` and errors: see `harness.run.runner.run`. Also raises BaselineError.
        """
        name = target.pinned
        earlier, ids = self._result_to_extend(target), self.scenarios_to_run(target)
        replayed = run(
            self.suite,
            f"target:{name}",
            self._contracts,
            target.level,
            ids,
            self.options if jobs is None else replace(self.options, jobs=jobs),
            apart=apart,
        )

        def stored() -> Iterator[Verdict]:
            for each in replayed:
                pickle.dump(each, kept)
                yield each

        # A temporary file, because verdicts may be as large as the files of scenarios, and are read twice.
        with tempfile.TemporaryFile() as kept:
            with closing(replayed):
                data = target_result(target, stored(), self.suite, self._contracts, earlier, ids)
            data["date"] = date.today().isoformat()
            self._new_results[name] = data
            if baseline:
                brief = map(with_first_difference, self._stored_verdicts(kept))
                lucky = {each for each in self.suite.ids() if self.suite.scenario(each).is_nondeterministic}
                added, old = earlier is not None, self._baseline(target)
                text = baseline_text(f"target:{name}", brief, old, added=added, lucky=lucky)
                write_all({baseline_path(target): text.encode()})
            if self.streams is not None:
                self._write_stream(self.streams, target, self._stored_verdicts(kept), len(ids))
        return dict(data)

    def write(self, order: Sequence[str]) -> None:
        """Write the results of the targets in `order`. Results that another process has stored are kept."""
        self.load_stored_results()
        done = {**self._stored_results, **self._new_results}
        targets = [done[name] for name in order if name in done]
        dates = sorted({each["date"] for each in targets})
        data = result_data(targets, self._contracts, dates[-1] if dates else "", _WRITE_COMMAND)
        text = json.dumps(data, indent=1, ensure_ascii=True) + "\n"
        write_all({self.files[0]: text.encode(), self.files[1]: page(data).encode()})

    def _write_stream(self, folder: Path, target: Target, verdicts: Iterable[Verdict], count: int) -> None:
        name = target.pinned
        checker, summary = BaselineChecker(self._baseline(target), target.claims), Summary()
        folder.mkdir(parents=True, exist_ok=True)
        with output(folder / f"{name}.jsonl") as stream:
            facts = RunFacts(
                target=f"target:{name}",
                name=f"target:{name}",
                contracts=(self._contracts[0],),
                level=target.level,
                scenarios=count,
                commands=lambda _: Commands("", ""),
                find=lambda _: None,
            )
            report = JsonlReport(stream, facts, self.version)
            for verdict in verdicts:
                result = checker.apply_baseline(verdict)
                summary.add(verdict, result)
                report.verdict(verdict, result)
            report.finish(summary)

    def _stored_verdicts(self, kept: IO[bytes]) -> Iterator[Verdict]:
        """Yield the verdicts for the default contract that a run has written to the temporary file `kept`."""
        kept.seek(0)
        while True:
            try:
                verdict: Verdict = pickle.load(kept)
            except EOFError:
                return
            if verdict.contract == self._contracts[0]:
                yield verdict

    def _baseline(self, target: Target) -> Baseline | None:
        file = baseline_path(target)
        if not file.exists():
            return None
        return load_baseline(file, self.suite.ids(), self.suite.contracts, self.suite.rule_ids)


def sample_ids(ids: Sequence[str], count: int) -> list[str]:
    """Return a sample of `count` ids, always the same. A larger sample contains all ids of a smaller sample."""
    chosen = set(sorted(ids, key=lambda each: blake2b(each.encode()).digest())[:count])
    return [each for each in ids if each in chosen]
