"""A sweep compares both sides in every version, notes what differs and what could not be asked, and goes on later."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.agents.claude_code.own_session import needs_own_session
from readfirst.harness.cli import sweep as command
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.session import Adapter, BrokenAdapter, ToolResult, Workspace
from readfirst.harness.source.kept import KeptError
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions import history
from readfirst.harness.versions.history import ChangePoint
from readfirst.harness.versions.quick import UNSTEADY
from readfirst.harness.versions.sweep import Difference, Sweep, Swept, followed, spread
from readfirst.harness.versions.swept import MergeError, load_swept, merged, sweep_page, swept_text
from tests.command_line import exit_code
from tests.rows import rows

SUITE = Suite()
DOCS = Path(__file__).parents[2] / "docs"
WORDS, GATE = "arguments/edit-without-new-string", "gate/write-unread"
"""The words of the first changed in 2.1.260, those of the second did not."""


class Unwell(ReferenceAdapter):
    """Fails on every call."""

    def open(self, *_: object) -> object:  # type: ignore[override]
        raise BrokenAdapter("the product ended", blame="environment")


class Changing(ReferenceAdapter):
    """Behaves like one version, then like another, in turn."""

    def __init__(self, *versions: str) -> None:
        super().__init__(versions[0])
        self.turns = cycle([ReferenceAdapter(each) for each in versions])

    def open(self, *workspace: object) -> object:  # type: ignore[override]
        return next(self.turns).open(*workspace)  # type: ignore[arg-type]


def point(*ids: str) -> ChangePoint:
    """Return a change that any of these scenarios shows."""
    near = history.Point("2.1.259", "2.1.260", exact=True)
    return ChangePoint("2.1.260", "made_up", "made up", "", 0, 1, tuple((each, near) for each in ids))


def swept(
    reference: Adapter, product: Adapter, *ids: str, sequences: int = 0, version: str = "2.1.270"
) -> Swept:
    points = [point(each) for each in ids]
    return Sweep(SUITE, {}, points, lambda _: (reference, product), sequences)(version)


def at(version: str) -> Adapter:
    return ReferenceAdapter(version)


def test_a_wrong_reference_is_shown_by_random_sequences_which_are_the_same_every_time() -> None:
    found = swept(at("1.0.60"), at("2.1.270"), GATE, sequences=2)
    random = [each for each in found.differences if each.asked.startswith("sequence ")]
    assert random
    assert found == swept(at("1.0.60"), at("2.1.270"), GATE, sequences=2)
    other = swept(at("1.0.60"), at("2.1.270"), GATE, sequences=2, version="2.1.271")
    assert other.differences != found.differences


@pytest.mark.parametrize("differing", [1, 3])
def test_an_answer_that_is_not_always_the_same_is_no_difference_and_no_agreement(differing: int) -> None:
    found = swept(at("2.1.259"), Changing(*["2.1.270"] * differing, "2.1.259"), WORDS, GATE)
    assert found.unasked == {WORDS: UNSTEADY}
    assert (found.scenarios, found.differences) == (1, ())


class Shallow(ReferenceAdapter):
    """Has too little stack for any Edit."""

    def open(self, *workspace: object) -> object:  # type: ignore[override]
        session = super().open(*workspace)  # type: ignore[arg-type]
        call = session.call

        def tried(tool: str, arguments: object) -> ToolResult:
            answer = call(tool, arguments)  # type: ignore[arg-type]
            return ToolResult("Maximum call stack size exceeded", True) if tool == "Edit" else answer

        session.call = tried  # type: ignore[assignment, method-assign]
        return session


def test_what_the_stack_of_the_machine_decides_is_no_difference_and_no_agreement() -> None:
    found = swept(at("2.1.270"), Shallow("2.1.270"), WORDS, "read-output/empty-file")
    assert found.unasked == {
        WORDS: "the product's Node ran out of stack: how much it has does not depend on the version"
    }
    assert (found.scenarios, found.differences) == (1, ())


class Slow(ReferenceAdapter):
    """Takes a second for each call: a file that was stamped later than the clock is older than what it reads."""

    def open(self, *workspace: object) -> object:  # type: ignore[override]
        session = super().open(*workspace)  # type: ignore[arg-type]
        root = Path(workspace[0].root)  # type: ignore[attr-defined]
        call = session.call

        def late(tool: str, arguments: object) -> ToolResult:
            stamped_later = any(
                0 < each.stat().st_mtime - time.time() < 60 for each in root.rglob("*") if each.is_file()
            )
            return ToolResult("done", False) if stamped_later else call(tool, arguments)  # type: ignore[arg-type]

        session.call = late  # type: ignore[assignment, method-assign]
        return session


@pytest.mark.parametrize(
    ("version", "sequences", "agrees"), [("1.0.60", 12, True), ("2.1.270", 4, False)], ids=["files", "clock"]
)
def test_who_is_slower_than_a_stamp_differs_only_where_times_are_those_of_files(
    version: str, sequences: int, agrees: bool
) -> None:
    found = swept(at(version), Slow(version), GATE, sequences=sequences, version=version)
    assert found.agrees == agrees
    assert any("an hour later" in why for why in found.unasked.values()) == agrees


def test_of_a_sequence_that_cannot_be_compared_the_next_takes_the_place() -> None:
    found = swept(at("1.0.60"), Slow("1.0.60"), GATE, sequences=12, version="1.0.60")
    assert any(name.startswith("sequence ") for name in found.unasked)
    assert found.sequences == 12


@pytest.mark.parametrize("ids", [(), ("multi-edit/two-edits",), ("settings/every-setting",)])
def test_a_version_of_which_nothing_can_be_compared_does_not_agree(ids: tuple[str, ...]) -> None:
    found = swept(at("2.1.270"), at("2.1.270"), *ids, sequences=1)
    assert not found.agrees
    assert found.failed == "no scenario could be compared: none that shows a change can be asked of it"


class Mortal(ReferenceAdapter):
    """Ends whenever the file is empty."""

    def open(self, workspace: Workspace) -> object:  # type: ignore[override]
        if (Path(workspace.root) / "notes.txt").read_bytes() == b"":
            raise BrokenAdapter("the product ended", blame="environment")
        return super().open(workspace)


def test_a_scenario_that_ends_the_product_is_not_compared_and_the_others_are() -> None:
    ids = ("gate/edit-unread", "read-output/empty-file", "staleness/edit-after-change")
    found = swept(at("2.1.270"), Mortal("2.1.270"), *ids)
    assert found.scenarios == 2
    assert [*found.unasked] == ["read-output/empty-file"]
    assert not found.failed


def test_versions_are_spread_over_the_gaps_between_contracts() -> None:
    published = ["2.1.6", "2.1.7", "2.1.8", "2.1.9", "2.1.10", "2.1.40", "2.1.329"]
    order = spread(published, SUITE.contracts)
    assert order == ["2.1.6", "2.1.9", "2.1.329", "2.1.8", "2.1.10", "2.1.7", "2.1.40"]


FOUND = {
    "2.1.8": Swept("2.1.8", "ab", 3, 2),
    "2.1.9": Swept(
        "2.1.9",
        "ab",
        3,
        2,
        (
            Difference("gate/x", 2, "Edit", "effects", "file a|b", ("done", "no_match"), ("'a'", "漢\\n")),
            Difference("sequence 7", 1, "Read", "text", "answer", ("done", "done"), ("", "x")),
        ),
        {"sequence 9": UNSTEADY},
    ),
    "2.1.10": Swept("2.1.10", "", failed='2.1.10 says "no": \\'),
}


def test_versions_before_the_oldest_contract_are_held_to_it() -> None:
    contracts = SUITE.contracts
    oldest = contracts.recorded[0]
    assert followed(contracts.find("0.2.125"), contracts) == oldest
    assert followed(oldest, contracts) == oldest
    assert followed(contracts.find("1.0.3"), contracts).name == "1.0.3"


def test_the_file_holds_all_and_is_in_release_order(tmp_path: Path) -> None:
    file = tmp_path / "sweep.json"
    assert load_swept(file) == {}
    file.write_text(swept_text(reversed(FOUND.values())), "utf-8")
    assert load_swept(file) == FOUND
    assert [*load_swept(file)] == [*json.loads(file.read_text("utf-8"))["versions"]] == [*FOUND]
    file.write_text(swept_text([]))
    assert load_swept(file) == {}


@rows(
    "text",
    [
        *("[]", "{}", swept_text(FOUND.values())[:-9]),
        *('{"versions": {"x": {"inputs": "a", "failed": "b"}}}', '{"versions": {"2.1.8": {"inputs": "a"}}}'),
        '{"versions": {"2.1.8": {"inputs": "a", "failed": "b", "scenarios": 3}}}',
        '{"versions": {"2.1.8": {"scenarios": 1, "sequences": 1}}}',
        '{"versions": {"2.1.8": {"inputs": "a", "scenarios": 3, "sequences": 1, "differences": [{}]}}}',
        swept_text(FOUND.values()).replace('"effects"', '"effect"'),
        swept_text(FOUND.values()).replace('["done", "done"]', '["done"]'),
    ],
)
def test_a_file_that_is_malformed_is_refused_with_what_writes_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "sweep.json"
    file.write_text(text, "utf-8")
    with pytest.raises(KeptError) as refused:
        load_swept(file)
    assert str(refused.value).startswith(f"{file} is not in its format: ")
    assert str(refused.value).endswith(" then `readfirst product sweep` writes it.")


def test_files_of_shards_are_merged_and_what_was_swept_wins_over_what_failed() -> None:
    one, two, failed = FOUND["2.1.8"], FOUND["2.1.9"], FOUND["2.1.10"]
    assert merged([{"2.1.8": one}, {"2.1.8": one, "2.1.9": two}]) == {"2.1.8": one, "2.1.9": two}
    swept_later = Swept("2.1.10", "ab", 3, 2)
    assert merged([{"2.1.10": failed}, {"2.1.10": swept_later}]) == {"2.1.10": swept_later}
    assert merged([{"2.1.10": swept_later}, {"2.1.10": failed}]) == {"2.1.10": swept_later}
    with pytest.raises(MergeError, match=r"2\.1\.8 was swept twice, with different results"):
        merged([{"2.1.8": one}, {"2.1.8": replace(one, scenarios=2)}])


def test_the_page_counts_agreement_differences_and_failures_apart() -> None:
    page = sweep_page(FOUND)
    assert (
        "2 versions swept, 6 scenarios and 4 sequences compared: 1 agree in everything, 1 differ somewhere,"
        " in 1 scenario and 1 sequence. 1 more version could not be asked." in page
    )
    assert "| effects | Edit, file | done → no_match | 2.1.9 | 2.1.9, [gate/x]" in page
    assert "reference `'a'`<br>product `漢\\n` |" in page, "escapes are shown as they were kept"
    assert "| 2.1.9 | 3 | [gate/x](../fixtures/scenarios/gate/x.yaml) | 2 | 7 | sequence 9 (two " in page
    assert "| 2.1.10 | VERSION says" in page
    assert "0 versions swept" in sweep_page({})


def test_more_than_a_hundred_versions_were_compared() -> None:
    found = load_swept(DOCS / "sweep.json")
    assert sum(each.scenarios for each in found.values()) > 100


Run = Callable[..., int]
RELEASES = ("1.0.61", "1.0.62", "1.0.63", "1.0.64")


@pytest.fixture
def run(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command on four versions, of which 1.0.63 does something else and 1.0.64 does not run."""
    (suite.root / "releases.yaml").write_text(
        "versions:\n" + "".join(f"  - {version}\n" for version in RELEASES)
    )
    products: dict[str, Adapter] = {"1.0.63": at("2.1.270"), "1.0.64": Unwell("1.0.64")}
    monkeypatch.setattr(command, "change_points", lambda *_: [point("gate/x")])
    monkeypatch.setattr(command.KeptVersions, "make_room", lambda *_: None)

    def connection(*_: object) -> Callable[[Contract], tuple[Adapter, Adapter]]:
        return lambda contract: (at(contract.name), products.get(contract.name, at(contract.name)))

    monkeypatch.setattr(command, "_connection", connection)

    def ran(*words: str) -> int:
        return exit_code("product", "sweep", *words, "--sequences", 2, "--fixtures", suite.root)

    (suite.root.parent / "docs").mkdir()
    return ran


@pytest.fixture
def file(suite: Suite) -> Path:
    return suite.root.parent / "docs" / "sweep.json"


def test_a_sweep_goes_on_where_it_stopped(run: Run, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--limit", "1") == ExitCode.NOT_CONFORMANT
    assert [*load_swept(file)] == ["1.0.63"]
    assert "2 sequences, " in capsys.readouterr().out
    assert run("1.0.61", "1.0.63") == ExitCode.CONFORMANT, "1.0.63 is not asked again"
    captured = capsys.readouterr()
    assert captured.out == "1.0.61: 1 scenario and 2 sequences, all agree\n"
    assert f"1 swept, 2 of 2 are in {file}" in captured.err
    assert run() == ExitCode.NOT_CONFORMANT, "1.0.64 does not agree"
    assert "1.0.64: could not be asked: " in capsys.readouterr().out
    assert {*load_swept(file)} == {*RELEASES}
    assert run() == ExitCode.NOT_CONFORMANT
    assert re.findall(r"^\S+:", capsys.readouterr().out, re.MULTILINE) == ["1.0.64:"], (
        "what failed is tried again"
    )
    assert run("1.0.61", "1.0.62", "1.0.63") == ExitCode.NOTHING
    assert run("1.0.62", "--again") == ExitCode.CONFORMANT
    assert file.with_suffix(".md").read_text("utf-8") == sweep_page(load_swept(file))


def test_a_version_is_asked_again_when_what_is_asked_has_changed(run: Run, suite: Suite, file: Path) -> None:
    assert run("1.0.61") == ExitCode.CONFORMANT
    before = load_swept(file)["1.0.61"].inputs
    path = suite.path("gate/x")
    path.write_text(path.read_text("utf-8").replace("new_string: gamma", "new_string: delta"), "utf-8")
    assert run("1.0.61") == ExitCode.CONFORMANT
    assert load_swept(file)["1.0.61"].inputs != before
    assert run("1.0.61") == ExitCode.NOTHING


def test_a_quick_sweep_shares_a_session_and_replaces_no_whole_one(run: Run, suite: Suite, file: Path) -> None:
    path = suite.path("gate/x")
    assert run("1.0.61", "--quick") == ExitCode.CONFORMANT
    quick = load_swept(file)["1.0.61"]
    text = path.read_text("utf-8")
    path.write_text(text.replace("given:\n", "given:\n  deny: [Read(secret.txt)]\n"), "utf-8")
    assert needs_own_session(Suite(suite.root).scenario("gate/x", require_expect=False))
    assert run("1.0.61") == ExitCode.CONFORMANT
    whole = load_swept(file)["1.0.61"]
    assert whole.inputs != quick.inputs
    assert run("1.0.61", "--quick") == ExitCode.NOTHING
    assert run("1.0.62", "--quick") == ExitCode.NOT_CONFORMANT
    assert "no scenario could be compared" in load_swept(file)["1.0.62"].failed


def test_why_something_differs_is_kept_for_as_long_as_it_does(run: Run, file: Path) -> None:
    assert run("1.0.63") == ExitCode.NOT_CONFORMANT
    asked = load_swept(file)["1.0.63"].differences[0].asked
    assert run("1.0.63", "--explain", f"{asked}=Not known yet.") == ExitCode.CONFORMANT
    assert run("1.0.63", "--explain", f"{asked}=Its clock = the machine's.") == ExitCode.CONFORMANT
    assert run("1.0.63", "--again") == ExitCode.NOT_CONFORMANT
    found = load_swept(file)["1.0.63"]
    assert found.explained == {asked: "Its clock = the machine's."}
    assert "| Its clock = the machine's. | 1.0.63, " in file.with_suffix(".md").read_text("utf-8")
    assert replace(found, differences=(), explained={}).with_reasons(found.explained).explained == {}


def test_shards_share_the_versions_and_are_merged(run: Run, file: Path, tmp_path: Path) -> None:
    parts = [tmp_path / f"{number}.json" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        run("--shard", f"{number}/2", "--output", str(part))
    assert sorted([*load_swept(parts[0]), *load_swept(parts[1])]) == [*RELEASES]
    assert run("--merge", *map(str, parts)) == ExitCode.CONFORMANT
    assert [*load_swept(file)] == [*RELEASES]
    assert run("--check") == ExitCode.CONFORMANT
    file.with_suffix(".md").write_text("stale")
    assert run("--check") == ExitCode.NOT_CONFORMANT
    assert run("1.0.61", "1.0.62", "1.0.63") == ExitCode.NOTHING


@rows(
    ("words", "message"),
    [
        (("9.9.9",), "9.9.9 is not published"),
        (("--shard", "3/2"), "write I/N with I from 1 to N"),
        (("--merge", "nosuch.json"), "nosuch.json: no such file"),
        (("--check", "1.0.61"), "--check without any word"),
        (("1.0.61", "--explain", "sequence 7=Chance."), "sequence 7 does not differ on 1.0.61"),
        (("--merge",), "--merge and the --output of each shard"),
        (("--output", "sweep.yaml"), "must end with .json"),
    ],
)
def test_what_makes_no_sense_is_refused(
    run: Run, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == ExitCode.USAGE
    assert message in " ".join(capsys.readouterr().err.split())
