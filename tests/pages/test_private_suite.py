import re
from pathlib import Path

import pytest

from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite, open_layers
from tests.cli.test_action import ACTION
from tests.pages.page import CHECKOUT, code
from tests.small_suites import lint

PAGE = "docs/private-suites.md"
FILES = re.findall(r"^```yaml (\S+\.yaml)$", (CHECKOUT / PAGE).read_text("utf-8"), re.MULTILINE)
OWN = ("licences/kept", "licences/refused")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    for name in FILES:
        (body,) = code(PAGE, f"yaml {name}")
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(body, "utf-8")
    return tmp_path


def test_the_suite_on_the_page_has_no_lint_findings(house: Path) -> None:
    assert {"contracts.yaml", "errors.yaml", "rules.yaml", "tags.yaml"} <= {*FILES}
    assert Suite(house).ids() == [*OWN]
    assert lint(Suite(house)) == []
    assert lint(open_layers(["bundled", house]), OWN) == []


@pytest.mark.usefixtures("in_process")
def test_the_suite_on_the_page_can_be_run_together_with_the_bundled_suite(house: Path) -> None:
    both = open_layers(["bundled", house], trust=True)
    target = "python:tests.format.keeps:HouseTools"
    verdicts = [*run(both, target, [both.contracts.default], "reason", [*OWN, "gate/edit-unread"])]
    assert [(each.scenario_id, each.status) for each in verdicts] == [
        ("gate/edit-unread", "failed"),
        ("licences/kept", "passed"),
        ("licences/refused", "passed"),
    ]
    broken = run(both, "python:tests.format.keeps:KeepsLicence", ["house-rules"], "effects", OWN)
    assert [each.status for each in broken] == ["passed", "failed"]


def test_the_page_uses_only_existing_inputs_of_the_action() -> None:
    (body,) = code(PAGE, "yaml action")
    inputs = {line.partition(":")[0] for line in body.splitlines() if not line.startswith(" ")}
    assert inputs <= {*ACTION["inputs"]}
