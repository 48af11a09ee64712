import json
from collections.abc import Iterable
from dataclasses import replace

from readfirst.harness.adapter_traits import IsolationDecision, ServerUse
from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Level, Status, Verdict
from readfirst.harness.errors import ExitCode
from readfirst.harness.report.timing import RunTimer
from readfirst.harness.run.server_notice import PENDING, ServerNotice
from tests.cli.test_reports import jsonl, schema_errors
from tests.rows import rows
from tests.verdicts import verdict, write_report_of

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


PROCESS = IsolationDecision("process", 'a Read is answered differently: "version 2" instead of "version 1"')
SHARED = IsolationDecision("shared", "no session affects another")
UNDECIDED, SEPARATE = ServerUse(False, "too few", seconds=2), ServerUse(False, "so", PROCESS, 2)
"""Before there is a decision, and with one server for each scenario."""
TOGETHER, EXCEPTION = ServerUse(True, "so", SHARED, 0.5), ServerUse(False, "its own rules", SHARED, 9)
"""Shared with other scenarios, and separate because of a scenario's own rules."""


def verdict_on(use: ServerUse | None, status: str = "") -> Verdict:
    """Return a verdict on a scenario that used this server. If `use` is None, it was not replayed."""
    return verdict("a/b", status or ("passed" if use else "unsupported"), server=use)


def lines(notice: ServerNotice, uses: Iterable[ServerUse | None]) -> list[str]:
    """Return the line that the notice prints after each verdict, or an empty text."""
    return [notice.line(verdict_on(use)) for use in uses]


def test_if_each_scenario_needs_a_server_the_run_prints_the_reason_and_the_estimated_time() -> None:
    said = lines(ServerNotice(3605, jobs=2), [*[UNDECIDED] * 4, SEPARATE, SEPARATE])
    assert said == [
        PENDING,
        *[""] * 3,
        'servers: a separate process for each scenario (a Read is answered differently: "version 2" instead of '
        '"version 1"); about 60 min for the other 3,600 scenarios. `readfirst docs adapters` explains --isolation',
        "",
    ]


def test_that_scenarios_share_a_server_is_printed_as_soon_as_some_of_them_were_timed() -> None:
    said = lines(ServerNotice(29), [*[UNDECIDED] * 4, *[TOGETHER, EXCEPTION] * 4, TOGETHER, TOGETHER])
    assert [each for each in said if each] == [
        PENDING,
        "servers: shared by scenarios (no session affects another); about 8 s for the other 16 scenarios",
    ]


def test_scenarios_that_are_not_replayed_do_not_change_the_estimated_time() -> None:
    said = lines(ServerNotice(110), [None, SEPARATE] * 5)
    assert said[-1].partition("; ")[2].startswith("about 100 s for the other 100 scenarios")
    assert lines(ServerNotice(4), [UNDECIDED] * 4) == [""] * 4, "a run of few scenarios prints no notice"


def test_json_lines_contain_the_decision_about_shared_servers() -> None:
    decided = {"isolation": "shared", "why": SHARED.why, "shared": 1, "separate": 2}
    for uses, servers in (
        ([None], None),
        ([UNDECIDED], {"shared": 0, "separate": 1}),
        ([UNDECIDED, TOGETHER, EXCEPTION], decided),
    ):
        judged = [(verdict_on(use), OK) for use in uses]
        footer = json.loads(write_report_of(jsonl, judged).splitlines()[-1])
        assert footer.get("servers") == servers
        assert schema_errors(footer) == []


def test_the_last_line_about_time_lists_start_up_scenarios_and_steps_separately() -> None:
    times = iter([10.0, 12.5, 12.5, 14.5, 99.0])
    timer, summary = RunTimer(clock=lambda: next(times)), Summary()
    timed = [replace(verdict_on(None, "passed"), milliseconds=500, steps=2)]
    timed += [replace(timed[0], milliseconds=700, steps=4)]
    timer.started(timed[0])
    for each in timed:
        timer.verdict()
        summary.add(each, OK)
    said = "cost: start-up 2.0 s, 1.2 s per scenario, 200 ms per step; 4.5 s in all"
    assert timer.sentence(summary) == said


def test_the_last_line_about_time_states_how_many_scenarios_shared_a_server_and_why() -> None:
    timer, summary = RunTimer(clock=lambda: 0.0), Summary()
    few, fresh = ServerUse(False, "too few to try"), ServerUse(False, "must be fresh")
    shared = ServerUse(True, "no session affects another")
    for server in (few, shared, shared, fresh, fresh, None):
        summary.add(verdict_on(server, "passed"), OK)
    assert timer.sentence(summary).partition(" in all; ")[2] == (
        "2 scenarios on a shared server (no session affects another); "
        "3 scenarios each on its own server (must be fresh)"
    )
