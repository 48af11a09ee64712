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
    raised = "the adapter has a problem with call: it raised PermissionError: [Errno 13] Permission denied"
    reasons: list[tuple[Status, str]] = [
        *(("unsupported", f"the adapter lacks {name}") for name in ("Windows", "Windows", *"abcd")),
        ("unspecified", "2.1.7 has no MultiEdit; at the level `safe` it is judged by harm alone"),
        *(("error", f"{raised}: {path}\nTraceback") for path in ("a.txt", "b.txt")),
        ("error", "Read took longer than 30 s"),
    ]
    counted = Summary()
    for number, (status, reason) in enumerate(reasons):
        counted.add(verdict(f"family/{number}", status, reason=reason), NOT_OK if status == "error" else OK)
    assert counted.reason_lines() == [
        "error: PermissionError (2); Read took longer than 30 s (1)",
        "unsupported: lacks Windows (2); lacks a (1); lacks b (1); other reasons (2)",
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
def test_verdicts_decide_the_exit_code(verdicts: list[tuple[Status, BaselineResult]], code: ExitCode) -> None:
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
        reason = f"call {number} took longer than 30 s\nits words"
        ruling = NOT_OK if number else BaselineResult(True, accepted="it hangs")
        counted.add(verdict(f"family/{number}", "error", reason=reason), ruling)
    lines = counted.error_lines()
    assert lines[0] == "ended early: family/1 (2.1.7): call 1 took longer than 30 s"
    assert lines[9:] == [
        "ended early: family/10 (2.1.7): call 10 took longer than 30 s",
        "ended early: 1 more; --failures all explains all of them",
    ]
