from dataclasses import replace

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Level, Status
from readfirst.harness.errors import ExitCode
from tests.rows import rows
from tests.verdicts import verdict

OK, NOT_OK = BaselineResult(conformant=True), BaselineResult(conformant=False)
"""Whether the baseline accepts a verdict."""


def summary(*verdicts: tuple[Status, BaselineResult]) -> Summary:
    counted = Summary()
    for number, (status, ruling) in enumerate(verdicts):
        fails: dict[Status, Level] = {"passed": "verbatim", "failed": "reason"}
        counted.add(verdict(f"family/{number}", status, fails=fails.get(status, "safe")), ruling)
    return counted


def test_the_summary_of_a_run_counts_the_reasons_why_scenarios_were_not_judged() -> None:
    counted = Summary()
    for number, reason in enumerate(
        ("lacks Windows", "lacks Windows", "lacks a", "lacks b", "lacks c", "lacks d")
    ):
        counted.add(replace(verdict(f"family/{number}", "unsupported"), reason=f"the adapter {reason}"), OK)
    counted.add(
        replace(
            verdict("family/9", "unspecified"),
            reason="2.1.7 has no MultiEdit; at the level `safe` it is judged by harm alone",
        ),
        OK,
    )
    raised = "the adapter has a problem with call: it raised PermissionError: [Errno 13] Permission denied"
    for number, path in enumerate(("a.txt", "b.txt")):
        counted.add(
            replace(verdict(f"broken/{number}", "error"), reason=f"{raised}: {path}\nTraceback"), NOT_OK
        )
    counted.add(replace(verdict("broken/2", "error"), reason="Read took longer than 30 s"), NOT_OK)
    named = "lacks Windows (2); lacks a (1); lacks b (1)"
    assert counted.reason_lines() == [
        "error: PermissionError (2); Read took longer than 30 s (1)",
        f"unsupported: {named}; other reasons (2)",
        "unspecified: 2.1.7 has no MultiEdit (1)",
    ]


@rows(
    ("verdicts", "code"),
    [
        ([("passed", OK)], ExitCode.CONFORMANT),
        ([("passed", OK), ("unsupported", OK), ("unspecified", OK)], ExitCode.CONFORMANT),
        ([("passed", OK), ("failed", NOT_OK)], ExitCode.NOT_CONFORMANT),
        ([("failed", BaselineResult(True, accepted="known"))], ExitCode.CONFORMANT),
        ([("passed", BaselineResult(False, stale="file:1:1: out of date"))], ExitCode.NOT_CONFORMANT),
        ([("failed", NOT_OK), ("error", NOT_OK)], ExitCode.ERROR),
        ([("error", BaselineResult(True, accepted="it hangs"))], ExitCode.CONFORMANT),
        ([("unsupported", OK), ("unspecified", OK)], ExitCode.NOTHING),
        ([], ExitCode.NOTHING),
    ],
)
def test_the_exit_code_of_a_run_depends_on_its_verdicts(
    verdicts: list[tuple[Status, BaselineResult]], code: ExitCode
) -> None:
    assert summary(*verdicts).exit_code is code


def test_the_summary_counts_every_status_that_occurred() -> None:
    counted = summary(
        ("passed", OK),
        ("failed", BaselineResult(True, accepted="known")),
        ("error", NOT_OK),
        ("unsupported", OK),
        ("unspecified", OK),
        ("passed", BaselineResult(False, stale="x")),
        ("failed", BaselineResult(False, stale="x is a harm.", needs_reason=True)),
    )
    assert counted.sentence() == (
        "7 scenarios: 2 passed, 2 failed, 1 error, 1 of these accepted by the baseline, 1 unsupported, "
        "1 unspecified, judged 5 of 6, 1 baseline entry out of date, 1 baseline entry needs a reason"
    )


def test_the_summary_lists_each_error_with_the_first_line_of_its_reason() -> None:
    counted = Summary()
    for number in range(12):
        broken = verdict(
            f"family/{number}", "error", reason=f"call {number} took longer than 30 s\nits words"
        )
        counted.add(broken, BaselineResult(number == 0, accepted="it hangs" if number == 0 else ""))
    lines = counted.error_lines()
    assert lines[0] == "ended early: family/1 (2.1.7): call 1 took longer than 30 s"
    assert lines[9:] == [
        "ended early: family/10 (2.1.7): call 10 took longer than 30 s",
        "ended early: 1 more; --failures all explains all of them",
    ]
