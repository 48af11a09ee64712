"""Command `readfirst fuzz`."""

from pathlib import Path

import typer

from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.cli.options import (
    Classes,
    ContractName,
    Fixtures,
    LevelName,
    Trust,
    one_target,
    open_suite,
    reject_nan,
    running,
)
from readfirst.harness.run.connect import target_defaults
from readfirst.harness.run.run_options import RunOptions
from readfirst.observatory.fuzz.command import perform
from readfirst.observatory.fuzz.search import SearchRequest

_STEPS = 2000
"""Maximum number of steps on each of the two implementations if neither --steps nor --minutes is specified."""


@running("time_limit")
def fuzz(
    target: list[str] | None = typer.Argument(
        None, metavar="TARGET", help="The implementation, as for `readfirst run`."
    ),
    against: str = typer.Option(
        "reference",
        metavar="OTHER",
        help="The implementation to compare with; --contract selects the version of `reference`.",
    ),
    steps: int | None = typer.Option(
        None,
        min=0,
        help="Stop after this many steps on each of the two implementations, TARGET and OTHER.",
        show_default=f"{_STEPS}; no limit with --minutes",
    ),
    minutes: float | None = typer.Option(
        None,
        min=0.01,
        max=10_000,
        callback=reject_nan,
        help="After this number of minutes, no new search is started.",
        show_default="no limit",
    ),
    seed: int = typer.Option(
        0, help="The seed of the random scenarios; the same seed generates the same scenarios."
    ),
    level: LevelName | None = typer.Option(
        None, help="How strictly to compare.", show_default="text, or the level of the target"
    ),
    contract: ContractName = None,
    output: Path = typer.Option(
        Path("fuzz-findings"), help="The directory for the scenario file of each finding."
    ),
    known: Path | None = typer.Option(
        None, help="A file of accepted differences between TARGET and OTHER; see `readfirst docs fuzzing`."
    ),
    baseline: Path | None = typer.Option(
        None,
        help="A baseline of `readfirst run`. A difference is not reported if an accepted scenario shows it, too.",
    ),
    class_: Classes = None,
    long: bool = typer.Option(
        False,
        "--long",
        help="Generate long scenarios: 30 to 60 steps on 3 to 8 files, which are also renamed.",
    ),
    *,
    options: RunOptions,
    fixtures: Fixtures = None,
    trust: Trust = False,
) -> int:
    """Replay generated scenarios on TARGET and OTHER, and write each difference as a minimal scenario.

    With --level safe, only TARGET is run, and the harm that it does is reported.
    """
    if not target:
        first = "'mcp:node server.mjs'" if against == "reference" else against
        raise UsageError(
            "TARGET, the implementation to test, is missing. --against only names the implementation to compare with. "
            f"Write: readfirst fuzz {first}"
        )
    tested = one_target(target, "readfirst fuzz")
    if (defaults := target_defaults(tested)) is not None:
        tested, level = defaults.connect, level or defaults.level
    level = level or "text"
    if level == "verbatim":
        raise UsageError("--level verbatim needs recordings, which generated scenarios lack. Use text.")
    if level == "safe" and (baseline is not None or class_):
        raise UsageError(
            "--level safe cannot be combined with --baseline or --class: both select by rule, and harm "
            "belongs to no rule."
        )
    suite = open_suite(fixtures, trust=trust)
    return perform(
        SearchRequest(
            suite=suite,
            target=tested,
            against=one_target([against], f"readfirst fuzz {tested} --against"),
            contract=contract or suite.contracts.default,
            steps=_STEPS if steps is None and minutes is None else steps,
            minutes=minutes,
            seed=seed,
            level=level,
            output=output,
            known=known,
            baseline=baseline,
            classes=tuple(class_ or ()),
            options=options,
            long=long,
        )
    )
