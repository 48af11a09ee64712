"""Figures about mutants on pages state their date."""

import re
from pathlib import Path

import pytest
from page import ConsequenceCounts, with_sentence

DOCS = Path(__file__).parents[4] / "docs"
DAY = r"[1-9][0-9]? [A-Z][a-z]+ 20[0-9]{2}"


def test_the_sentence_of_harm_alone_is_what_its_counts_come_to() -> None:
    page = (DOCS / "harm.md").read_text("utf-8")
    [item] = re.findall(rf"^- On {DAY}, [0-9].+\n(?:  .+\n)+", page, re.MULTILINE)
    [day] = re.findall(DAY, item)
    counts = [int(each.replace(",", "")) for each in re.findall(r"[0-9][0-9,]*", item.partition(day)[2])]
    sample, population, scenarios, effects, _, _, _, off, left, harm, beside, alone = counts[:12]
    noticed = ConsequenceCounts(harm, beside, off, alone)
    assert (noticed.effects, effects - off) == (effects, left)
    assert item == noticed.sentence(day, sample, population, scenarios)
    assert with_sentence(page, item) == page
    assert with_sentence(page, "- other\n").count("- other\n") == 1
    with pytest.raises(ValueError, match="must have one sentence about mutants, but has 0"):
        with_sentence("# Harm\n", item)


def test_what_a_mutant_is_noticed_by_is_counted_once() -> None:
    kinds = ["lost", "stray", "blind", "overcautious", "failed", "error", "TypeError"]
    assert ConsequenceCounts.of(kinds) == ConsequenceCounts(harm=2, beside=2, off=2, alone=1)
    assert (
        ConsequenceCounts.of([])
        .sentence("1 May 2026", 0, 0, 0)
        .startswith("- On 1 May 2026, 0 of all 0 mutants")
    )


def test_scores_say_of_which_day_they_are() -> None:
    page = (DOCS / "mutation.md").read_text("utf-8")
    assert len(re.findall(rf"^On {DAY} the [0-9,]* ?scenarios of that day killed ", page, re.MULTILINE)) == 2
