"""Changes between two versions are reported for common scenarios. Additional scenarios are not a change."""

from readfirst.harness.compare.level_reached import ScenarioResult
from readfirst.harness.compare.shared_scenarios import CommonHarm, common_cells


def test_a_session_that_only_one_was_put_through_is_no_harm_that_is_new() -> None:
    before, after = {"lost": {"a"}}, {"lost": {"a", "new"}, "blind": {"b"}}
    harm = CommonHarm.of(({"a", "b"}, {"a", "b", "new"}), (before, after))  # type: ignore[arg-type]
    assert (harm.sessions, harm.harmed) == (2, (1, 1))
    assert harm.counts["lost"] == (1, 1)
    assert harm.counts["blind"] == (0, 1)
    assert CommonHarm.read(harm.data()) == harm


def test_a_rule_is_kept_less_only_where_both_were_judged() -> None:
    def seen(**holds: bool | None) -> list[ScenarioResult]:
        return [ScenarioResult(name, 1, held) for name, held in holds.items()]

    before = {"same": seen(a=True), "worse": seen(a=True, b=False), "unknown": seen(a=True)}
    after = {"same": seen(a=True, new=False), "worse": seen(a=False, b=False), "unknown": seen(a=None)}
    assert common_cells(before, after) == {"worse": {"holding": [1, 0], "judged": 2, "shortest": "a"}}
