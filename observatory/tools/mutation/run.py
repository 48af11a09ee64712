"""Mutation testing of the reference implementation, judged only by the scenarios.

    python observatory/tools/mutation/run.py [--jobs N] [--module NAME]... [--sample N [--seed N]] [--results FILE]
    python observatory/tools/mutation/run.py --exceptions [--module NAME]... [--sample N [--seed N]]

Needs the extra `mutation`. A complete run writes docs/mutation.md and witnesses.json. With --exceptions it writes the
section about rules with an exception, in one process and some minutes. With --level effects it writes the sentence in
docs/harm.md about mutants that are detected by harm. Exit code 0: every survivor has a reason in survivors.yaml
(exceptions.yaml), no reason is stale, and a complete run reaches the goal. 1: one of these is false. 2: the run was not
possible, for example because the unchanged reference fails a scenario.
"""

from __future__ import annotations

# ruff: noqa: E402 - the checkout must be importable first
import argparse
import os
import random
import sys
import time
from collections.abc import Sequence
from datetime import date
from functools import cached_property
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(CHECKOUT))

from exceptions import MODULES, exceptions_of, rules_of
from measurement import Cases, TrialError, measure
from mutants import Mutant, mutants_of
from page import (
    LEAST,
    LEAST_EXCEPTIONS,
    ConsequenceCounts,
    by_harm,
    exceptions_in,
    exceptions_section,
    noticed_by,
    page,
    score,
    table,
    with_exceptions,
    with_sentence,
)
from panel import Panel, file_of
from population import drawn_scenarios, judged_exceptions
from results import Results, digest
from scenarios import scenario_panel
from survivors import Survivors, SurvivorsError, entry_text, load_survivors
from trial import MutantResult, trials
from witnesses import WitnessesError, load_witnesses, witnesses_text

from readfirst.harness.suite.transcript import RecordingError
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.finding import SuiteError

SURVIVORS = Path(__file__).with_name("survivors.yaml")
EXCEPTIONS = Path(__file__).with_name("exceptions.yaml")
WITNESSES = Path(__file__).with_name("witnesses.json")
PAGE = CHECKOUT / "docs" / "mutation.md"
HARM = CHECKOUT / "docs" / "harm.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Test the mutants that the options select, print the result, write docs/mutation.md, and return the exit code."""
    options = _parse_options(arguments)
    try:
        survivors = load_survivors(EXCEPTIONS if options.exceptions else SURVIVORS)
        witnesses = {} if options.exceptions else load_witnesses(WITNESSES)
        panel = scenario_panel(CHECKOUT, witnesses, exceptions=options.exceptions, level=options.level)
        offered = list(MODULES if options.exceptions else panel.sources)
        unknown = sorted(set(options.module) - set(offered))
        if unknown:
            raise TrialError(f"there is no module {unknown[0]!r}. The modules are: {', '.join(offered)}")
        results = Results(options.results, _inputs_digest(panel)) if options.results else None
    except (SurvivorsError, WitnessesError, SuiteError, RecordingError, TrialError) as error:
        print(f"mutation: {error}", file=sys.stderr)
        return 2
    modules = options.module or offered
    partial = f"ONLY {', '.join(modules)}" if options.module else ""
    try:
        if options.exceptions:
            return _run_exceptions(options, panel, modules, survivors, partial)
        all_mutants = [mutant for each in modules for mutant in mutants_of(each, panel.sources[each])]
        mutants = chosen = survivors.judged(all_mutants)
        if options.sample is not None and options.sample < len(mutants):
            chosen = random.Random(options.seed).sample(mutants, options.sample)
            sampled = f"ONLY A SAMPLE: {len(chosen)} of {len(mutants)} mutants, seed {options.seed}"
            partial = f"{partial} and {sampled}" if partial else sampled
        if options.level != "text":
            level = f"AT LEVEL {options.level} under the default contract"
            partial = f"{partial} and {level}" if partial else level
        if partial:
            print(f"*** {partial}. This is not the score of the suite. ***\n")
        fates = _Judged(panel, results, options.jobs)(chosen)
    except TrialError as error:
        print(f"mutation: {error}", file=sys.stderr)
        return 2
    if options.level != "text":
        print(by_harm(fates))
        if not options.module:
            noticed = ConsequenceCounts.of(noticed_by(fates).values())
            sentence = noticed.sentence(_today(), len(fates), len(all_mutants), len(panel.cases))
            _write_page(HARM, with_sentence(HARM.read_text("utf-8"), sentence))
        return 0
    code = report(fates, all_mutants, modules, survivors, least=0 if partial else LEAST)
    if partial:
        print(f"\n*** {partial}. docs/mutation.md is left alone. ***")
        return code
    write_all({WITNESSES: witnesses_text(fates, panel.witnesses).encode()})
    if code == 0:
        before = PAGE.read_text("utf-8") if PAGE.exists() else ""
        _write_page(PAGE, with_exceptions(_page_text(fates, survivors, panel), exceptions_in(before)))
    return code


def _run_exceptions(
    options: argparse.Namespace,
    panel: Panel,
    modules: Sequence[str],
    survivors: Survivors,
    partial: str,
) -> int:
    """Perform `run.py --exceptions`, and return the exit code: print the report and, after a complete run, write it
    into docs/mutation.md. `partial` names the tested part; empty: all is tested. Raises TrialError.
    """
    sample = None if options.sample is None else (options.sample, options.seed)
    judged = judged_exceptions(panel, CHECKOUT / "fixtures", modules, drawn_scenarios(), sample=sample)
    fates = judged.fates
    if sample is not None:
        sampled = f"ONLY A SAMPLE: {len(fates)} mutants, seed {options.seed}"
        partial = f"{partial} and {sampled}" if partial else sampled
    if partial:
        print(f"*** {partial}. This is not the score of the suite. ***\n")
    print(f"{judged.noticed} of {judged.rules} changes to a whole rule are noticed; these get exceptions.\n")
    reached = score(fates, survivors)
    mutants = [fate.mutant for fate in fates]
    if sample is not None:  # every exception of every rule, even if no scenario detects the rule
        mutants = exceptions_of(rule for each in modules for rule in rules_of(each, panel.sources[each]))
    least = 0 if partial else LEAST_EXCEPTIONS
    code = report(fates, mutants, modules, survivors, reached=reached, least=least)
    if partial:
        print(f"\n*** {partial}. docs/mutation.md is left alone. ***")
    elif code == 0:
        section = exceptions_section(judged, survivors, _today())
        _write_page(PAGE, with_exceptions(PAGE.read_text("utf-8"), section))
    return code


def _write_page(page: Path, text: str) -> None:
    write_all({page: text.encode()})
    print(f"wrote {page.relative_to(CHECKOUT)}")


def _today() -> str:
    today = date.today()
    return f"{today.day} {today:%B %Y}"


def _page_text(fates: Sequence[MutantResult], survivors: Survivors, panel: Panel) -> str:
    contracts = list(dict.fromkeys(name.partition(" ")[0] for name in panel.cases))
    scenarios = len({name.partition(" ")[2] for name in panel.cases})
    return page(fates, survivors, contracts, scenarios, _today())


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="run.py"
    )
    parser.add_argument(
        "--exceptions",
        action="store_true",
        help="test mutants in which a condition is wrong only for some calls, for example only for hidden files",
    )
    parser.add_argument(
        "--level",
        choices=("effects", "text"),
        default="text",
        help="compare the answers, too (`text`), or only files, refusals and harm (`effects`); default: text",
    )
    parser.add_argument("--jobs", type=_positive_int, default=os.cpu_count() or 1, help="number of processes")
    parser.add_argument("--module", action="append", default=[], help="only mutate this module; repeatable")
    parser.add_argument("--sample", type=_positive_int, help="number of randomly drawn mutants")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (default: 0)")
    parser.add_argument(
        "--results", type=Path, help="store the results in this file, and continue from stored results"
    )
    return parser.parse_args(arguments)


def _positive_int(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _inputs_digest(panel: Panel) -> str:
    """Return a digest of the reference, the scenarios and the judging code. Stored results depend on it."""
    folders = (panel.folder, CHECKOUT / "fixtures", CHECKOUT / "harness", Path(__file__).parent)
    wanted = (".py", ".yaml", ".json")
    judging = (path for folder in folders for path in folder.rglob("*") if path.suffix in wanted)
    return digest(path for path in judging if path not in (SURVIVORS, EXCEPTIONS, WITNESSES))


class _Judged:
    """Runs the test cases on mutants. The unchanged package is measured before the first mutant."""

    def __init__(self, panel: Panel, results: Results | None, jobs: int) -> None:
        self._panel = panel
        self._results = results
        self._jobs = jobs

    @cached_property
    def _cases(self) -> Cases:
        return measure(self._panel)

    def __call__(self, mutants: Sequence[Mutant]) -> list[MutantResult]:
        """Judge the mutants, or use stored results. Print each survivor and the progress. Raises TrialError."""
        order = {mutant: number for number, mutant in enumerate(mutants)}
        fates = self._results.of(mutants) if self._results else []
        known = {fate.mutant for fate in fates}
        left = [mutant for mutant in mutants if mutant not in known]
        shown = time.monotonic()
        for fate in trials(self._panel, self._cases, left, self._jobs) if left else ():
            fates.append(fate)
            if self._results:
                self._results.add(fate)
            if not fate.killed:
                print(f"{fate.mutant.described} survives {fate.asked} cases", file=sys.stderr)
            if time.monotonic() - shown > 15:
                shown = time.monotonic()
                print(f"{len(fates)} of {len(mutants)} mutants, {score(fates):.1f} % killed", file=sys.stderr)
        return sorted(fates, key=lambda fate: order[fate.mutant])


def report(
    fates: Sequence[MutantResult],
    all_mutants: Sequence[Mutant],
    modules: Sequence[str],
    survivors: Survivors,
    *,
    least: float = LEAST,
    reached: float | None = None,
) -> int:
    """Print the numbers of killed mutants and all problems: survivors without a reason, outdated reasons in
    `survivors`, and a percentage of killed mutants below `least`. Return the exit code: 1 if there is a problem.
    """
    accepted = survivors.by_key()
    print(table(fates, survivors))
    stale = survivors.nonexistent(all_mutants, modules)
    stale += survivors.killed({fate.mutant.key: fate.by for fate in fates if fate.killed})
    for finding in stale:
        print(f"\n{finding}")
    unexplained = [fate for fate in fates if not fate.killed and fate.mutant.key not in accepted]
    if unexplained:
        print(
            f"\n{len(unexplained)} survivors without a reason. Add a scenario that kills each, or an entry:\n"
        )
        for fate in unexplained:
            held = "no scenario gets there" if not fate.asked else f"{fate.asked} cases held"
            print(f"# {file_of(fate.mutant.module)}:{fate.mutant.line}, {held}\n{entry_text(fate.mutant)}")
    reached = score(fates) if reached is None else reached
    if reached < least:
        print(f"\nthe score is {reached:.1f} %, less than {least:g} %")
    return int(bool(stale or unexplained or reached < least))


if __name__ == "__main__":
    sys.exit(main())
