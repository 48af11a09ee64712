"""Implementations that treat some texts, names or sizes specially are caught, each by the scenario named for it."""

import altered
import pytest
import wrong_contents as contents
import wrong_names as names
import wrong_reports as reports
from new_harms import judged_with_harm

from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

PLACES = (contents.TreatingWrites, contents.TreatingInsertions, contents.TreatingSurroundings)

EVERY: dict[str, tuple[type[altered.Altered], str]] = {
    f"{what}, {place.__name__}": (contents.treating(place, treatment), by)
    for what, (treatment, by) in contents.TREATMENTS.items()
    for place in PLACES
}
"""What is done with a text, in each of three places."""

EVERY_OTHER_IN_ONE_PLACE = [
    f"{what}, {PLACES[index // 2 % len(PLACES)].__name__}"
    for index, what in enumerate(contents.TREATMENTS)
    if index % 2 == 0
]

NAMES: dict[str, tuple[type[altered.Altered], str]] = {
    **{f"keys {what}": (names.of(names.Remembers, key=key), by) for what, (key, by) in names.KEYS.items()},
    **{
        f"writes to {form}": (
            names.of(names.TakesTheNameBeside, form=form),
            "neighbours-with-names-of-temporary-files",
        )
        for form in names.BESIDE
    },
    **{
        f"does not write {form}": (
            names.of(names.DoesNotWriteNamed, form=form),
            "more-temporary-looking-names" if index > 5 else "temporary-looking-names",
        )
        for index, form in enumerate(names.NOT_EDITED)
    },
    **{
        f"cuts at {size}": (names.of(names.Cuts, treat=lambda text, size=size: text[:size]), by)
        for size, by in names.CUTS.items()
    },
    "FormatsByName": (names.FormatsByName, "names-that-call-for-a-formatter"),
    "EndsFilesByName": (names.EndsFilesByName, "names-that-call-for-a-formatter"),
    "MakesScriptsExecutable": (names.MakesScriptsExecutable, "scripts"),
    "GivesMakefilesTabs": (names.GivesMakefilesTabs, "names-that-call-for-other-rights"),
    "DecodesInBlocks": (reports.DecodesInBlocks, "edit-across-byte-8192"),
    "EditsTheFirstBlock": (names.EditsTheFirstBlock, "edit-across-byte-65536"),
}

BEYOND_A_THOUSAND = (names.ReplacesAThousand, "replace-all-beyond-a-thousand")
"""It takes as long as ten of the others."""


def is_caught(implementation: type[altered.Altered], slug: str, place: WorkspacePool) -> bool:
    """Whether its effects differ, and harm alone shows it, too."""
    verdict, found = judged_with_harm(implementation, f"opaque-content/{slug}", place)
    differs = (verdict.status, verdict.blame, verdict.levels["effects"])
    return differs == ("failed", "implementation", False) and bool(found)


@rows("case", EVERY_OTHER_IN_ONE_PLACE)
def test_what_treats_texts_specially_is_caught(case: str, place: WorkspacePool) -> None:
    assert is_caught(*EVERY[case], place)


@pytest.mark.slow
@pytest.mark.parametrize("case", [each for each in EVERY if each not in EVERY_OTHER_IN_ONE_PLACE])
def test_so_are_all_others_and_in_every_place(case: str, place: WorkspacePool) -> None:
    assert is_caught(*EVERY[case], place)


@rows("case", NAMES)
def test_what_treats_names_and_sizes_specially_is_caught(case: str, place: WorkspacePool) -> None:
    assert is_caught(*NAMES[case], place)


@pytest.mark.slow
def test_what_replaces_a_thousand_alone_is_caught(place: WorkspacePool) -> None:
    assert is_caught(*BEYOND_A_THOUSAND, place)
