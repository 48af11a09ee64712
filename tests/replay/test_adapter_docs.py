"""The examples of docs/adapters.md are whole, run as they are, and are judged as the text says."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from readfirst.harness.compare.compare import compare, skipped
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.connect import connect
from readfirst.harness.session import traits_of
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.site import SitePool

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "adapters.md").read_text(), re.DOTALL)
NAMES = ("mytools", "racing", "living", "telling", "hooked", "asking")
Judge = Callable[[str, str, Level], Verdict]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    folder = tmp_path_factory.mktemp("examples")
    for name, example in zip(NAMES, EXAMPLES, strict=True):
        (folder / f"{name}.py").write_text(example)
    suite = Suite(ROOT / "fixtures")
    contract = suite.contracts["2.1.7"]
    with pytest.MonkeyPatch.context() as patch, SitePool() as place:
        patch.chdir(folder)
        adapters = {name: connect(f"python:{name}:Tools", suite) for name in NAMES}

        def judged(name: str, scenario_id: str, level: Level) -> Verdict:
            scenario = suite.scenario(scenario_id)
            adapter = adapters[name]
            refused = skipped(scenario, contract, level, traits_of(adapter).capabilities)
            if refused is not None:
                return refused
            return compare(scenario, replay(scenario, adapter, place), contract, level, suite.vocabulary)

        yield judged
        for adapter in adapters.values():
            adapter.close()  # type: ignore[attr-defined]


def test_the_example_is_short() -> None:
    assert len([line for line in EXAMPLES[0].splitlines() if line.strip()]) <= 30


@pytest.mark.parametrize(
    "scenario_id",
    ["gate/edit-unread", "gate/write-unread", "staleness/edit-after-touch-of-own-edit"],
)
def test_the_example_gets_the_main_rule_right(judge: Judge, scenario_id: str) -> None:
    assert judge("mytools", scenario_id, "reason").status == "passed"
    assert judge("racing", scenario_id, "reason").status == "passed"


def test_the_example_words_its_errors_differently(judge: Judge) -> None:
    verdict = judge("mytools", "gate/edit-unread", "text")
    assert verdict.status == "failed"
    assert verdict.levels["reason"]


def test_the_example_is_not_said_to_be_right_where_it_is_wrong(judge: Judge) -> None:
    assert judge("mytools", "staleness/edit-after-touch-full-read", "effects").status == "failed"


@pytest.mark.parametrize("scenario_id", ["race/refused-before-execution", "race/edit-changed-during-call"])
def test_races_are_supported_by_the_second_example_only(judge: Judge, scenario_id: str) -> None:
    assert judge("mytools", scenario_id, "effects").status == "unsupported"
    assert judge("racing", scenario_id, "effects").status == "passed"


def test_groups_are_supported_by_the_second_example_only(judge: Judge) -> None:
    assert judge("mytools", "parallel/write-then-edit", "effects").status == "unsupported"
    assert judge("racing", "parallel/write-then-edit", "effects").status == "passed"


@pytest.mark.parametrize(
    "scenario_id",
    ["sessions/edit-after-resume", "sessions/edit-unread-after-resume", "sessions/agent-edits-what-was-read"],
)
def test_resumed_sessions_and_sub_agents_are_supported_by_the_third_example_only(
    judge: Judge, scenario_id: str
) -> None:
    assert judge("racing", scenario_id, "effects").status == "unsupported"
    assert judge("living", scenario_id, "effects").status == "passed"


def test_summaries_are_supported_by_no_example(judge: Judge) -> None:
    assert judge("living", "sessions/edit-after-compaction", "effects").status == "unsupported"


@pytest.mark.parametrize(
    "scenario_id", ["hooks/exit-two-before-edit", "hooks/exit-one-before-edit", "hooks/other-tools-hook"]
)
def test_hooks_are_supported_by_one_example_only(judge: Judge, scenario_id: str) -> None:
    assert judge("telling", scenario_id, "effects").status == "unsupported"
    hooked = judge("hooked", scenario_id, "effects").status
    assert hooked == ("passed" if scenario_id.startswith("hooks/exit") else "failed")


def test_reminders_are_supported_by_the_fourth_example_only(judge: Judge) -> None:
    assert judge("living", "reminders/change-after-own-edit", "effects").status == "unsupported"
    verdict = judge("telling", "reminders/change-after-own-edit", "text")
    assert verdict.levels["effects"]
    assert not verdict.levels["text"]
    assert judge("telling", "reminders/change-after-read", "effects").status == "failed"


@pytest.mark.parametrize(
    "scenario_id",
    [
        "default-edit",
        "accept-edits",
        "read-outside",
        "write-outside",
        "additional-directory",
        "plan-edit",
        "bypass",
    ],
)
def test_permission_modes_are_supported_by_the_last_example_only(judge: Judge, scenario_id: str) -> None:
    assert judge("telling", f"permission-modes/{scenario_id}", "effects").status == "unsupported"
    assert judge("asking", f"permission-modes/{scenario_id}", "reason").status == "passed"
