import base64
import json
import lzma
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from readfirst.harness.diff.introduced_in import contracts_of_models
from readfirst.harness.suite import transcript_loader
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.recording_file import decode_recording, parse_recording
from readfirst.harness.suite.suite import Suite, UnknownScenarioError
from readfirst.harness.suite.tool_schemas import load_results, load_tools
from readfirst.harness.suite.transcript import Recording, RecordingError
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.harness.yaml_io.json_file import JsonFileError
from readfirst.harness.yaml_io.strict_yaml import StrictYamlError, load
from readfirst.harness.yaml_io.yaml_validation import Inspection
from tests.command_line import Cli
from tests.rows import rows
from tests.small_suites import keep_recording, small_suite

SCENARIO = (
    "title: A stranger sends this\nrequirement: must\ntags: [a]\nrule: x\nsteps:\n  - mkdir: a\n"
    '  - Read: {file_path: $WS/a}\n    expect: {text: "x"}\n'
)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    shared = ("contracts.yaml", "errors.yaml", "tags.yaml", "rules.yaml", "tools.json", "results.json")
    made = small_suite(tmp_path / "suite", {"gate/x": SCENARIO}, shared=shared)
    (made.root / "suite.yaml").write_text('version: "1.0"\n')
    keep_recording(made, "gate/x", Recording(unrecorded={"2.1.7": "It was not asked."}))
    return Suite(made.root)


READERS = {
    **dict.fromkeys(("scenarios/gate/x.yaml", "scenarios"), lambda suite: suite.scenario("gate/x")),
    "scenarios/gate": lambda suite: suite.heading("gate/x"),
    **dict.fromkeys(
        ("recordings/gate/x.json", "recordings/gate", "recordings"),
        lambda suite: suite.recordings.recording("gate/x"),
    ),
    "contracts.yaml": lambda suite: suite.contracts,
    "errors.yaml": lambda suite: suite.vocabulary,
    "tags.yaml": lambda suite: suite.tags,
    "rules.yaml": lambda suite: suite.rules,
    "suite.yaml": lambda suite: suite.version,
    "tools.json": lambda suite: load_tools(suite.root / "tools.json"),
    "results.json": lambda suite: load_results(suite.root / "results.json"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_link_in_a_suite_is_refused(name: str, suite: Suite, tmp_path: Path) -> None:
    """A symbolic link in place of any file or directory of a suite is refused."""
    READERS[name](Suite(suite.root))
    elsewhere = tmp_path / "elsewhere"
    (suite.root / name).rename(elsewhere)
    (suite.root / name).symlink_to(elsewhere)
    with pytest.raises((SuiteError, RecordingError, JsonFileError), match="this is a link"):
        READERS[name](Suite(suite.root))


@pytest.mark.parametrize(
    ("file", "slug"),
    [
        *(("t.cases.yaml", slug) for slug in ("OUT", "..")),
        *(("gate/t.cases.yaml", slug) for slug in ("../../OUT", "/OUT")),
    ],
)
def test_a_case_whose_name_leads_elsewhere_is_refused(
    file: str, slug: str, suite: Suite, tmp_path: Path, readfirst: Cli
) -> None:
    """A case whose name would be a path outside the suite is refused."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("precious")
    head, _, steps = SCENARIO.partition("steps:")
    case = f"cases:\n  {slug.replace('OUT', str(outside)[1:])!r}: {{title: Another one}}\n"
    (suite.root / "scenarios" / file).write_text(f"{head}{case}steps:{steps}")
    ran = readfirst("run", "reference", "--fixtures", suite.root, "--keep", tmp_path / "kept")
    assert ran.code == 4
    assert "[cases-form]" in ran.err
    assert (outside / "precious.txt").read_text() == "precious"


@rows("scenario_id", ["/gate/x", "gate//x", "gate/./x", "gate/../gate/x"])
def test_an_unusual_spelling_of_an_id_is_refused(scenario_id: str, suite: Suite) -> None:
    with pytest.raises(UnknownScenarioError):
        suite.scenario(scenario_id)


@pytest.mark.parametrize("read", [load_tools, load_results])
def test_deeply_nested_json_in_a_file_of_a_suite_is_refused(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    (tmp_path / "x.json").write_text("[" * 100_000)
    with pytest.raises(JsonFileError, match="is not in the expected format"):
        read(tmp_path / "x.json")


def recording(steps: Sequence[object], **packed: bytes) -> bytes:
    """Return a recording file with these steps of 2.1.7, and with `packed` data."""
    texts = {name: base64.b64encode(data).decode() for name, data in packed.items()}
    value = {"inputs": "x", "versions": ["2.1.7"], "steps": steps, "packed": texts}
    return json.dumps({"recording": value}).encode()


def packed_recording(*unpacked: int, compress: Callable[[bytes], bytes] = lzma.compress) -> bytes:
    packed = {f"x{number}": compress(bytes(size)) for number, size in enumerate(unpacked)}
    return recording([{"call": "Read", "answers": [{"text": {"packed": name}}]} for name in packed], **packed)


def test_what_is_compressed_once_and_named_often_is_in_memory_once() -> None:
    """Compressed data that many steps of a recording use is unpacked into memory only once."""
    answer = {"text": {"packed": "x"}, "files": {"a": {"size": 1_000_000, "packed": "x"}}}
    data = recording([{"call": "Read", "answers": [answer]}] * 300, x=lzma.compress(bytes(1_000_000)))
    tracemalloc.start()
    found = parse_recording(data).transcripts["2.1.7"].steps
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 300
    assert {len(step.results[0].text) for step in found} == {1_000_000}
    assert most < 50_000_000


@rows("calls", [["Read", {"a": "b"}], ["Read", ["x"]], ["Read", None]])
def test_a_recording_whose_calls_are_no_names_is_refused(calls: list[object]) -> None:
    """A recording with a call name that is not a string is refused."""
    steps = [{"calls": calls, "answers": [{"results": [{"text": "a"}, {"text": "b"}]}]}]
    with pytest.raises(RecordingError, match="are no names"):
        parse_recording(recording(steps))


def test_a_recording_that_unpacks_to_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording whose compressed data is too large when unpacked, or truncated, is refused."""
    monkeypatch.setattr(transcript_loader, "_MAX_UNPACKED_BYTES", 3_000_000)
    assert len(parse_recording(packed_recording(1_400_000, 1_400_000)).transcripts["2.1.7"].steps) == 2
    message = "texts of the recording unpack to more than 3,000,000 bytes"
    for bomb in ((3_000_001,), (1_400_000, 1_400_000, 1_400_000)):
        data = packed_recording(*bomb)
        assert len(data) < 20_000
        with pytest.raises(RecordingError, match=message):
            parse_recording(data)
    with pytest.raises(RecordingError, match="is truncated"):
        parse_recording(packed_recording(10, compress=lambda data: lzma.compress(data)[:-2]))


def test_a_recording_of_many_steps_for_many_versions_is_refused() -> None:
    """Too many pairs of a step and a version are refused. A file of 400 KB used to need 3 GiB of memory."""
    versions = [f"2.1.{number}" for number in range(20_000)]
    own = {"inputs": "x", "versions": versions, "steps": [{"call": "Read", "answers": [{}]}] * 60}
    with pytest.raises(RecordingError, match="more than 1,000,000 answers of all versions"):
        parse_recording(json.dumps({"recording": own}).encode())


@rows(
    ("text", "rule"),
    [
        ("[" * 100_000, "too-deep"),
        ("{a: " * 100_000, "too-deep"),
        ("a: &a [x, x]\nb: [*a, *a]\n", "alias"),
        ("b: *a\n", "alias"),
        ("a: {b: c}\nd: {<<: {e: f}}\n", "non-string-key"),
        ('a: !!python/object/apply:os.system ["id"]\n', "tag"),
        ("%TAG ! tag:x,2000:\n---\na: !b c\n", "tag"),
        ("a: " + "9" * 1000, "number-too-large"),
        ("a: 1\n---\na: 2\n", "several-documents"),
        ("x" * 2_000_000, "file-too-large"),
    ],
)
def test_what_multiplies_or_acts_is_no_yaml_here(text: str, rule: str) -> None:
    """YAML that expands to very large data or that creates objects is refused."""
    with pytest.raises(StrictYamlError) as refused:
        load(text.encode(), Path("x.yaml"))
    assert refused.value.findings[0].rule == rule


def test_arguments_together_are_no_longer_than_one_may_be(suite: Suite) -> None:
    """All repeated texts of a scenario together have the same maximum length as a single one."""
    more = ", ".join(f"x{number}: {{repeat: abcdefgh, times: 8000000}}" for number in range(40))
    path = suite.root / "scenarios" / "gate" / "x.yaml"
    path.write_text(SCENARIO.replace("file_path: $WS/a", f"file_path: $WS/a, {more}"))
    with pytest.raises(SuiteError, match="repeated texts of all files and steps have more than 67,108,864"):
        Suite(suite.root).scenario("gate/x")


def test_no_more_mistakes_are_reported_than_somebody_reads() -> None:
    """At most 1000 errors in a file are reported."""
    look = Inspection(load(b"tags: [1]\n", Path("x.yaml")))
    for number in range(999):
        look.note(("tags",), f"mistake {number}", "Remove it.")
    with pytest.raises(SuiteError) as refused:
        look.note(("tags",), "one more", "Remove it.")
    assert len(refused.value.findings) == 1000
    path = Path("gate/x.yaml")
    many = load(b"title: x\nrequirement: must\nsteps: [" + b"1, " * 2000 + b"1]\n", path)
    with pytest.raises(SuiteError) as explained:
        scenario_from(many, "gate/x", Suite().contracts)
    assert len(explained.value.findings) <= 1000


def test_a_recording_of_what_is_no_version_is_of_no_time() -> None:
    """An entry of a recording whose name is not a version is ignored."""
    odd = decode_recording({"inputs": "x", "versions": ["2.1.7", "text"], "steps": []})
    assert contracts_of_models(odd, gated=False) == ["2.1.7"]
