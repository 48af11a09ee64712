"""The archives of the installed package hold what the files hold, and nobody else's are opened."""

import base64
import json
import lzma
import random
import runpy
import shutil
from pathlib import Path

import pytest

import readfirst
from readfirst.harness.source import packed, strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.recordings import Recordings

CHECKOUT = Path(__file__).parents[2]
LONG = "thousand-occurrences.yaml"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package whose recordings of two families are in archives, beside those scenarios."""
    hook = runpy.run_path(str(CHECKOUT / ".ci/wheel_files.py"))
    fixtures = tmp_path_factory.mktemp("installed") / "readfirst" / "fixtures"
    checkout = tmp_path_factory.mktemp("checkout")
    kept = {"gate": ["edit-unread.yaml", "write-unread.yaml"], "crossed": ["places.json"], "sizes": [LONG]}
    for family, names in kept.items():
        here = fixtures / "recordings" / family
        here.mkdir(parents=True)
        files = [CHECKOUT / "fixtures/recordings" / family / name for name in names]
        (here / packed.ARCHIVE).write_bytes(hook["packed"](files))
        (checkout / family).mkdir()
        for file in files:
            shutil.copy(file, checkout / family)
    (fixtures / "recordings" / packed.INDEX).write_text(json.dumps(hook["index"](checkout)))
    shutil.copytree(CHECKOUT / "fixtures/corpus", fixtures / "corpus")
    return fixtures.parent


def test_recordings_are_read_from_the_archives_of_the_package(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readfirst, "__file__", str(package / "__init__.py"))
    found, plain = (Recordings(root / "fixtures/recordings") for root in (package, CHECKOUT))
    ids = [
        "gate/edit-unread",
        "gate/write-unread",
        "crossed/places-44",
        f"sizes/{LONG.removesuffix('.yaml')}",
    ]
    assert {*ids} <= {*found.ids()}
    for each in ids:
        assert found.recording(each) == plain.recording(each)
        assert found.find(each).is_as_written
    assert found.files()["crossed/places-44"] == package / "fixtures/recordings/crossed" / packed.ARCHIVE
    assert not found.recording("gate/no-such-case").transcripts


def test_what_the_archives_hold_is_known_without_opening_one(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readfirst, "__file__", str(package / "__init__.py"))
    monkeypatch.setattr(packed, "_files", None)
    found = Recordings(package / "fixtures/recordings")
    assert {*found.ids()} >= {"gate/edit-unread", "gate/write-unread", "crossed/places-44"}
    digests = [found.digest(each) for each in ("gate/edit-unread", "gate/write-unread", "crossed/places-44")]
    assert len({*digests}) == 3
    packed._digest.cache_clear()
    archive = package / "fixtures/recordings/gate" / packed.ARCHIVE
    monkeypatch.setattr(Path, "read_bytes", lambda file: b"another" if file == archive else b"")
    assert found.digest("gate/edit-unread") != digests[0]
    packed._digest.cache_clear()


def test_known_failures_are_read_from_the_archive_of_the_package(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = runpy.run_path(str(CHECKOUT / ".ci/wheel_files.py"))["packed"]
    there = package / "baselines"
    own = next((CHECKOUT / "harness/targets/baselines").glob("pi@*.yaml"))
    there.mkdir()
    (there / packed.ARCHIVE).write_bytes(pack([own]))
    file = there / own.name
    with pytest.raises(SuiteError, match="cannot be read"):
        strict_yaml.read(file)
    monkeypatch.setattr(readfirst, "__file__", str(package / "__init__.py"))
    assert packed.is_there(file)
    assert strict_yaml.read(file) == own.read_bytes()


def test_an_archive_of_somebody_else_is_not_opened(package: Path) -> None:
    recordings = Recordings(package / "fixtures/recordings")
    assert not [*recordings.ids()]
    assert not recordings.recording("gate/edit-unread").transcripts
    with pytest.raises(FileNotFoundError):
        packed.bytes_of(package / "fixtures/recordings/gate/edit-unread.yaml")


def test_an_archive_is_the_same_wherever_it_is_made(tmp_path: Path) -> None:
    pack = runpy.run_path(str(CHECKOUT / ".ci/wheel_files.py"))["packed"]
    file = CHECKOUT / "fixtures/recordings/gate/edit-unread.yaml"
    copy = Path(shutil.copy(file, tmp_path))
    assert pack([file]) == pack([copy])


def test_what_recordings_have_in_common_is_smaller_in_an_archive_once_it_is_written_out(
    tmp_path: Path,
) -> None:
    hook = runpy.run_path(str(CHECKOUT / ".ci/wheel_files.py"))
    common = random.Random(0).randbytes(10_000).hex().encode()
    files = [tmp_path / f"{number}.yaml" for number in range(3)]
    for number, file in enumerate(files):
        text = base64.b64encode(lzma.compress(b"%d" % number + common)).decode()
        file.write_text(f"packed:\n  0123456789ab: {text}\n")
    as_they_are = hook["_archive"]({file.name: file.read_bytes() for file in files})
    assert len(hook["packed"](files)) < 0.7 * len(as_they_are)


def test_what_is_written_out_can_still_be_read() -> None:
    """An installed package could not read recordings that had more than a megabyte then."""
    hook = runpy.run_path(str(CHECKOUT / ".ci/wheel_files.py"))
    assert hook["READABLE"] == strict_yaml.MAX_BYTES
    files = [*(CHECKOUT / "fixtures/recordings").rglob("*.yaml")]
    larger = [
        file
        for file in files
        if len(hook["written_out"]("as.json", file.read_bytes())) > strict_yaml.MAX_BYTES
    ]
    assert CHECKOUT / "fixtures/recordings/sizes/262144-bytes.yaml" in larger
    for file in larger:
        assert hook["written_out"](file.name, file.read_bytes()) == file.read_bytes()
