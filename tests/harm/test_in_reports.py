from dataclasses import replace
from xml.etree import ElementTree

from readfirst.harness.compare.verdict import LEVELS, Difference, Verdict
from readfirst.harness.diff.diff import diff
from readfirst.harness.diff.report import as_json, as_markdown, as_text
from readfirst.harness.diff.sources import ContractSide, RunSide
from readfirst.harness.harm.harm import Harm
from readfirst.harness.report import Commands
from readfirst.harness.report.results import Results
from readfirst.harness.report.timeline import difference_blocks
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, TranscriptStep
from tests.judging import SUITE
from tests.verdicts import run, sources_of

CHANGED = "staleness/edit-after-change"
LOST = Harm(
    2, 0, "lost", "notes.txt", "line 2 of notes.txt, which another program saved", "alpha\nBETA\n", "gamma\n"
)
REFUSED = Difference(2, 0, "effects", "refused", "refused: modified_since_read", "not refused: done")
HARMED = Difference(2, 0, "safe", LOST.line, LOST.before, LOST.after)
PASSED = Verdict(CHANGED, "2.1.7", "effects", "passed", dict.fromkeys(LEVELS, True), harms=(LOST,))
"""A passed verdict: the contract's version does the same harm."""
FAILED = replace(PASSED, status="failed", levels={}, differences=(HARMED, REFUSED))


def junit(*verdicts: Verdict) -> ElementTree.Element:
    sources = sources_of(Suite(), find=lambda _: None, commands=lambda _: Commands("show", "run"))
    return ElementTree.fromstring(
        sources.write("junit", Results((run(*verdicts, target="x", level="effects"),))).encode()
    )


def test_junit_contains_the_harm_as_message_and_output() -> None:
    line = "step 3: lost: line 2 of notes.txt, which another program saved"
    failed, passed = junit(FAILED, PASSED).iter("testcase")
    (failure,) = failed.iter("failure")
    assert failure.get("message") == line
    assert [each.text for each in failed.iter("system-out")] == [f"{line}\n"]
    # Harm that the contract's version does, too, is also counted as harm.
    assert [each.tag for each in passed] == ["system-out"]
    (alone,) = junit(replace(FAILED, differences=(REFUSED,), harms=())).iter("testcase")
    said = "step 3: expected refused: modified_since_read, got not refused: done"
    assert [(each.tag, each.get("message")) for each in alone] == [("failure", said)]


def test_the_step_of_an_html_page_shows_a_harm_only_once() -> None:
    for verdict in (FAILED, PASSED):
        blocks, more = difference_blocks(verdict)
        shown = [each for each in blocks if each["level"] == "safe"]
        assert [(each["step"], each["what"]) for each in shown] == [(2, LOST.line)]
        assert ["-", "BETA\\n"] in shown[0]["lines"]
        assert more == 0


def test_a_comparison_lists_harm_that_only_one_of_the_two_sides_did() -> None:
    contract = SUITE.contracts["2.1.7"]
    base = ContractSide(SUITE, contract)
    done = TranscriptStep(("Edit",), (RecordedResult("done"),))
    run = RunSide("mine", base, [replace(FAILED, differences=(REFUSED,), answers={2: done})])
    worse, better = diff(SUITE, base, run, [CHANGED]), diff(SUITE, run, base, [CHANGED])
    assert [(each.kind, each.newly, each.no_longer) for each in worse.harm] == [("lost", (CHANGED,), ())]
    assert f"! lost, newly: {CHANGED}  [1 scenario]" in list(as_text(worse))
    assert f"- lost, no longer: {CHANGED}  [1 scenario]" in list(as_text(better))
    assert "## Harm: done by only one of them" in as_markdown(worse).splitlines()
    assert '"no_longer": []' in as_json(worse)
    assert diff(SUITE, base, base, [CHANGED]).harm == ()
