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
from readfirst.harness.compare.level_reached import TRIED, pack_results, unpack_results
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
from readfirst.observatory.survey.compatibility import looked_at
from readfirst.observatory.survey.page import FORMAT, is_counted, looked_at_all, page, result_data, result_of
from readfirst.observatory.targets.catalogue import known_failures
from readfirst.observatory.targets.mapping import Target
from readfirst.observatory.targets.translate import lacks
from readfirst.observatory.versions.retirement import work_out

COMMAND = "readfirst targets implementations --write"


class SurveyError(ReadfirstError):
    """The earlier results cannot be extended. The message names the file and the solution."""


@dataclass
class Survey:
    """Runs targets, and stores their results in `folder` as implementations.json and implementations.md.

    Targets are compared with the default contract and with the newest contract.

    `streams` is the directory for the JSON Lines of each run (`NAME@VERSION.jsonl`); None: they are not written.
    `version` is the version of readfirst in these files.

    `missing`: a target is run only on scenarios without a valid stored result. These are scenarios that the result
    lacks, that broke, whose calls the mapping does not support any more, or that the newest contract answers
    differently than the contract that was the newest then. If the design of a target has changed, it is run on all
    scenarios. `sample`: only this number of the suite's scenarios is run, spread evenly, the same ones for each target.
    """

    suite: Suite
    folder: Path
    _: KW_ONLY
    options: RunOptions = DEFAULT
    streams: Path | None = None
    version: str = "unknown"
    missing: bool = False
    sample: int | None = None
    _done: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)
    _kept: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)

    @cached_property
    def _contracts(self) -> list[str]:
        contracts = self.suite.contracts
        return list(dict.fromkeys((contracts.default, contracts.latest.name)))

    @property
    def files(self) -> tuple[Path, Path]:
        """The paths of implementations.json and implementations.md."""
        return self.folder / "implementations.json", self.folder / "implementations.md"

    def keep(self) -> None:
        """Load the stored results, for targets that are not run again. Stored results with a different default contract
        are ignored. Raises JsonFileError.
        """
        if not self.files[0].exists():
            return
        with reading(self.files[0], COMMAND) as known:
            targets = {each["target"]: each for each in known["targets"]}
            contracts = known["contracts"]
            usable = known["format"] == FORMAT and contracts[0] == self._contracts[0]
        if usable and contracts != self._contracts:
            alike = self._answered_alike(contracts[-1])
            targets = {name: self._with_newest(each, contracts[-1], alike) for name, each in targets.items()}
        self._kept = targets if usable else {}

    def _with_newest(self, result: Mapping[str, Any], former: str, alike: Container[str]) -> dict[str, Any]:
        """Return the stored result of a target, compared with the newest contract instead of the contract `former`.

        It contains only the scenarios `alike`, which both contracts answer in the same way.
        """
        first, newest = self._contracts[0], self._contracts[-1]
        reach = {first: result["reach"][first]}
        if newest != first:
            known = unpack_results(result["reach"].get(former, {}))
            reach[newest] = pack_results({name: known[name] for name in known if name in alike})
        return {**result, "reach": reach}

    def _answered_alike(self, former: str) -> frozenset[str]:
        """Return the scenarios with the same recorded answers in the newest contract and in the contract `former`."""
        newest, recordings = self._contracts[-1], self.suite.recordings
        found = ((each, recordings.recording(each)) for each in self.suite.ids())
        return frozenset(
            each
            for each, recording in found
            if (answers := recording.transcripts.get(newest)) is not None
            and answers == work_out(recording, former)
        )

    def asked(self, target: Target) -> list[str]:
        """Return the scenarios that a target is to be run on. Raises SurveyError."""
        wanted = evenly(self.suite.ids(), self.sample) if self.sample is not None else self.suite.ids()
        earlier = self._earlier(target)
        if earlier is None:
            return wanted
        known = unpack_results(earlier["reach"][self._contracts[0]])
        newest = unpack_results(earlier["reach"][self._contracts[-1]])
        seen = looked_at(earlier) if is_counted(earlier) else set()
        missing = {
            each
            for each in wanted
            if known.get(each, "error") == "error"
            or (known[each] in TRIED and (each not in seen or each not in newest))
        }

        def is_unclaimed(scenario_id: str) -> bool:
            """Whether the target's mapping does not support a call of a scenario, which makes a replay needless."""
            calls = self.suite.scenario(scenario_id).calls()
            return any(lacks(target, call.tool, call.arguments) for call in calls)

        return [
            each
            for each in self.suite.ids()
            if each in missing or (known.get(each) in TRIED and is_unclaimed(each))
        ]

    def _earlier(self, target: Target) -> dict[str, Any] | None:
        """Return the stored result that a run of the target is added to. None if all scenarios are run again, or if the
        target's design has changed. Raises SurveyError.
        """
        name = target.pinned
        kept = self._kept.get(name)
        if kept is not None and kept.get("design") != target.release.design:
            return None
        wanted = self.sample is not None or (self.missing and kept is not None and looked_at_all(kept))
        if kept is None or not wanted:
            return None
        gone = sorted(unpack_results(kept["reach"][self._contracts[0]]).keys() - set(self.suite.ids()))
        if gone:
            raise SurveyError(
                f"{self.files[0]}: {name} was run on {gone[0]}, which is not in the suite any more, so its result "
                f"cannot be extended. Run it again without --missing."
            )
        return kept

    def run_all(
        self, chosen: Sequence[Target], *, baseline: bool = False
    ) -> Iterator[tuple[str, dict[str, Any] | AdapterError]]:
        """Run targets, and yield the name and the result of each target when its run ends. As many targets run in
        parallel as there are jobs.

        If there are more jobs than targets, scenarios of one target are replayed in parallel. If a target cannot be
        connected, its result is the error. Other errors of `run` are raised; unfinished runs then end with this
        process.
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
                except BaseException as error:  # it is raised in the thread that waits
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
        self,
        target: Target,
        *,
        baseline: bool = False,
        jobs: int | None = None,
        apart: bool = False,
    ) -> dict[str, Any]:
        """Run one target on the scenarios of `asked`, and return its result. With `baseline`, also rewrite its file of
        known failures.

        `jobs` and `apart` are parameters of `harness.run.runner.run`. Raises the errors of that function, and
        BaselineError for an unreadable baseline.
        """
        name = target.pinned
        earlier, ids = self._earlier(target), self.asked(target)
        replayed = run(
            self.suite,
            f"target:{name}",
            self._contracts,
            target.level,
            ids,
            self.options if jobs is None else replace(self.options, jobs=jobs),
            apart=apart,
        )

        def noted() -> Iterator[Verdict]:
            for each in replayed:
                pickle.dump(each, kept)
                yield each

        # In a file, because differences may be as large as the files, and their lines need the new baseline.
        with tempfile.TemporaryFile() as kept:
            with closing(replayed):
                data = result_of(target, noted(), self.suite, self._contracts, earlier, ids)
            data["date"] = date.today().isoformat()
            self._done[name] = data
            if baseline:
                brief = map(with_first_difference, self._again(kept))
                lucky = {each for each in self.suite.ids() if self.suite.scenario(each).is_nondeterministic}
                added, old = earlier is not None, self._baseline(target)
                text = baseline_text(f"target:{name}", brief, old, added=added, lucky=lucky)
                write_all({known_failures(target): text.encode()})
            if self.streams is not None:
                self._write_stream(self.streams, target, self._again(kept), len(ids))
        return dict(data)

    def write(self, order: Sequence[str]) -> None:
        """Write implementations.json and implementations.md for the targets in `order`, both or neither. Results that
        another process has stored in the meantime are kept.
        """
        self.keep()
        done = {**self._kept, **self._done}
        targets = [done[name] for name in order if name in done]
        dates = sorted({each["date"] for each in targets})
        data = result_data(targets, self._contracts, dates[-1] if dates else "", COMMAND)
        text = json.dumps(data, indent=1, ensure_ascii=True) + "\n"
        write_all({self.files[0]: text.encode(), self.files[1]: page(data).encode()})

    def _write_stream(self, folder: Path, target: Target, verdicts: Iterable[Verdict], count: int) -> None:
        """Write the verdicts of a target as `readfirst run --format jsonl` does, with its current baseline applied."""
        name = target.pinned
        ruler, summary = BaselineChecker(self._baseline(target), target.claims), Summary()
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
                ruling = ruler.apply_baseline(verdict)
                summary.add(verdict, ruling)
                report.verdict(verdict, ruling)
            report.finish(summary)

    def _again(self, kept: IO[bytes]) -> Iterator[Verdict]:
        """Yield the verdicts for the default contract from the temporary file `kept`."""
        kept.seek(0)
        while True:
            try:
                verdict: Verdict = pickle.load(kept)
            except EOFError:
                return
            if verdict.contract == self._contracts[0]:
                yield verdict

    def _baseline(self, target: Target) -> Baseline | None:
        file = known_failures(target)
        if not file.exists():
            return None
        return load_baseline(file, self.suite.ids(), self.suite.contracts, self.suite.rule_ids)


def evenly(ids: Sequence[str], count: int) -> list[str]:
    """Return `count` of the ids, selected by their digests: a larger selection contains the smaller one."""
    chosen = set(sorted(ids, key=lambda each: blake2b(each.encode()).digest())[:count])
    return [each for each in ids if each in chosen]
