"""Two versions are compared only in scenarios that both ran. Failures in other scenarios are not changes."""

from readfirst.harness.compare.level_reached import ScenarioResult
from readfirst.observatory.report.rule_diff import common_cells


def test_a_rule_is_kept_less_only_where_both_were_judged() -> None:
    def make_results(**holds: bool | None) -> list[ScenarioResult]:
        return [ScenarioResult(name, 1, held) for name, held in holds.items()]

    before = {
        "same": make_results(a=True),
        "worse": make_results(a=True, b=False),
        "unknown": make_results(a=True),
    }
    after = {
        "same": make_results(a=True, new=False),
        "worse": make_results(a=False, b=False),
        "unknown": make_results(a=None),
    }
    assert common_cells(before, after) == {"worse": {"holding": [1, 0], "judged": 2, "shortest": "a"}}
