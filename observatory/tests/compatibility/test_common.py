"""Changes between two versions are reported for common scenarios. Additional scenarios are not a change."""

from readfirst.harness.compare.level_reached import ScenarioResult
from readfirst.observatory.report.rule_diff import common_cells


def test_a_rule_is_kept_less_only_where_both_were_judged() -> None:
    def seen(**holds: bool | None) -> list[ScenarioResult]:
        return [ScenarioResult(name, 1, held) for name, held in holds.items()]

    before = {"same": seen(a=True), "worse": seen(a=True, b=False), "unknown": seen(a=True)}
    after = {"same": seen(a=True, new=False), "worse": seen(a=False, b=False), "unknown": seen(a=None)}
    assert common_cells(before, after) == {"worse": {"holding": [1, 0], "judged": 2, "shortest": "a"}}
