"""At its start, a run prints whether scenarios share servers, the reason, and the estimated time.

The JSON lines contain this, too.
"""

import io
import json
from collections.abc import Iterable

from readfirst.harness.adapter_traits import IsolationDecision, ServerUse
from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.report.jsonl import JsonlReport
from readfirst.harness.run.server_notice import PENDING, ServerNotice
from tests.cli.test_reports import facts, schema_errors

PROCESS = IsolationDecision("process", 'a Read is answered differently: "version 2" instead of "version 1"')
SHARED = IsolationDecision("shared", "no session affects another")
UNDECIDED, SEPARATE = ServerUse(False, "too few", seconds=2), ServerUse(False, "so", PROCESS, 2)
TOGETHER, EXCEPTION = ServerUse(True, "so", SHARED, 0.5), ServerUse(False, "its own rules", SHARED, 9)


def verdict(use: ServerUse | None) -> Verdict:
    status = "unsupported" if use is None else "passed"
    return Verdict("family/slug", "2.1.7", "text", status, {}, server=use)  # type: ignore[arg-type]


def lines(notice: ServerNotice, uses: Iterable[ServerUse | None]) -> list[str]:
    return [notice.line(verdict(use)) for use in uses]


def test_a_server_for_each_scenario_is_announced_with_its_reason_and_time() -> None:
    said = lines(ServerNotice(3605, jobs=2), [*[UNDECIDED] * 4, SEPARATE, SEPARATE])
    assert said == [
        PENDING,
        *[""] * 3,
        'servers: a separate process for each scenario (a Read is answered differently: "version 2" instead of '
        '"version 1"); about 60 min for the other 3,600 scenarios. `readfirst docs adapters` explains --isolation',
        "",
    ]


def test_a_shared_server_is_announced_when_its_scenarios_can_be_timed() -> None:
    said = lines(ServerNotice(29), [*[UNDECIDED] * 4, *[TOGETHER, EXCEPTION] * 4, TOGETHER, TOGETHER])
    assert [each for each in said if each] == [
        PENDING,
        "servers: shared by scenarios (no session affects another); about 8 s for the other 16 scenarios",
    ]


def test_scenarios_that_are_not_replayed_take_no_time() -> None:
    said = lines(ServerNotice(110), [None, SEPARATE] * 5)
    assert said[-1].partition("; ")[2].startswith("about 100 s for the other 100 scenarios")


def test_few_scenarios_are_not_announced() -> None:
    assert lines(ServerNotice(4), [UNDECIDED] * 4) == [""] * 4


def test_json_lines_have_the_decision() -> None:
    for uses, servers in (
        ([None], None),
        ([UNDECIDED], {"shared": 0, "separate": 1}),
        (
            [UNDECIDED, TOGETHER, EXCEPTION],
            {"isolation": "shared", "why": SHARED.why, "shared": 1, "separate": 2},
        ),
    ):
        stream, summary = io.StringIO(), Summary()
        report = JsonlReport(stream, facts(), "1.0")
        for use in uses:
            report.verdict(verdict(use), BaselineResult(conformant=True))
            summary.add(verdict(use), BaselineResult(conformant=True))
        report.finish(summary)
        footer = json.loads(stream.getvalue().splitlines()[-1])
        assert footer.get("servers") == servers
        assert schema_errors(footer) == []
