"""The comparison of the reference with any version sees a reference that is of another version."""

import pytest

from observatory.tools.between import disagreements, is_comparable, main
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.differential import DifferentialRunner
from readfirst.reference_impl import behaviours_of
from tests.contracts.judging import SUITE, Reference


def differing(one: str, other: str, *ids: str) -> list[str]:
    """Return the scenarios in which the reference at one version differs from that at another."""
    with WorkspacePool() as place:
        duel = DifferentialRunner(
            Reference(behaviours_of(one)), Reference(behaviours_of(other)), place, "text", SUITE.vocabulary
        )
        return [scenario.id for scenario, _ in disagreements(map(SUITE.scenario, ids), duel)]


def test_words_that_changed_between_two_contracts_are_seen() -> None:
    ids = ("arguments/edit-without-new-string", "gate/write-unread")
    assert differing("2.1.259", "2.1.260", *ids) == ["arguments/edit-without-new-string"]
    assert differing("2.1.260", "2.1.284", *ids) == []


@pytest.mark.slow
def test_only_what_can_be_compared_is_asked() -> None:
    contract = SUITE.contracts.find("2.1.270")
    recording = SUITE.recordings.recording
    comparable = [each.id for each in SUITE.scenarios() if is_comparable(each, recording(each.id), contract)]
    assert len(comparable) > 1300
    assert not any(each.startswith("multi-edit/") for each in comparable), "the version has no such tool"
    assert "settings/every-setting" not in comparable, "only the beginning of the answer is pinned"


@pytest.mark.slow
@pytest.mark.parametrize("family", ["nosuch", "multi-edit"])
def test_a_selection_without_anything_to_compare_is_an_error(
    family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["2.1.270", "--family", family]) == 2
    assert "between: 2.1.270: no scenario of these families can be compared" in capsys.readouterr().err


def test_a_version_that_is_none_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nosuch"]) == 2
    assert "between: nosuch: there is no contract 'nosuch'" in capsys.readouterr().err
