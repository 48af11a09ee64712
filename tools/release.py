"""Build the files of a release: wheel and sdist, the suite for every contract, schemas, runners and checksums.

    python3 tools/release.py --output dist --tag v0.1.0

Needs hatchling (the extra `test`) and npm. The files are not published.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from readfirst.harness.report.export import export
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite

ROOT = Path(__file__).resolve().parents[1]
_SCHEMAS = ("export", "lines", "baseline", "result")


def main(words: Sequence[str] | None = None) -> int:
    """Build the files, and print their names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="a directory that is empty or does not exist"
    )
    parser.add_argument("--tag", default="", help="the tag of the release; it must be v and the version")
    parser.add_argument("--contract", action="append", help="only the suite for this contract (repeatable)")
    given = parser.parse_args(words)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    runner = json.loads((ROOT / "runners/typescript/package.json").read_text("utf-8"))["version"]
    if given.tag not in ("", f"v{version}"):
        parser.error(f"the tag is {given.tag}, but pyproject.toml says {version}: tag v{version}")
    if runner != version:
        parser.error(
            f"runners/typescript/package.json says {runner}, and pyproject.toml {version}: make them equal"
        )
    if given.output.exists() and any(given.output.iterdir()):
        parser.error(f"{given.output} is not empty")
    given.output.mkdir(parents=True, exist_ok=True)
    out = given.output.resolve()
    _build("sdist", ROOT, out)
    with tempfile.TemporaryDirectory() as unpacked:
        # Build from the published sdist, which therefore cannot lack a file.
        shutil.unpack_archive(out / f"readfirst-{version}.tar.gz", unpacked)
        _build("wheel", Path(unpacked) / f"readfirst-{version}", out)
    _run(["npm", "pack", "--silent", "--pack-destination", str(out)], ROOT / "runners/typescript")
    _pack_go(out / f"readfirst-runner-go-{version}.zip")
    for name in _SCHEMAS:
        shutil.copy(ROOT / "fixtures/schema" / f"{name}.schema.json", out)
    suite = Suite(ROOT / "fixtures")
    for contract in suite.contracts:
        if given.contract is None or contract.name in given.contract:
            _write_suite(suite, contract, out)
    files = sorted(out.iterdir())
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (out / "SHA256SUMS").write_text("".join(sums))
    for file in files:
        print(f"{file.stat().st_size:>10,}  {file.name}")
    return 0


def _build(target: str, folder: Path, out: Path) -> None:
    _run([sys.executable, "-m", "hatchling", "build", "-d", str(out), "-t", target], folder)


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _pack_go(file: Path) -> None:
    """Write the archive of the Go runner. The same files always produce the same archive."""
    folder = ROOT / "runners/go"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(each for each in folder.rglob("*") if each.suffix in (".go", ".mod")):
            archive.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes())


def _write_suite(suite: Suite, contract: Contract, out: Path) -> None:
    file = out / f"readfirst-suite-{suite.version}-{contract.name}.jsonl.gz"
    with (
        gzip.GzipFile("", "wb", fileobj=file.open("wb"), mtime=0) as packed,
        io.TextIOWrapper(packed) as text,
    ):
        text.writelines(json.dumps(each) + "\n" for each in export(suite, contract))


if __name__ == "__main__":
    sys.exit(main())
