"""Editions: the releases of a suite, the ids that each has, and what became of ids that are no more."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.source.inspection import Inspection

_VERSION = re.compile(r"[0-9]+\.[0-9]+")


class EditionsError(SuiteError):
    """`suite.yaml` is not in its format, or names ids that do not fit the suite."""


@dataclass(frozen=True, slots=True)
class Editions:
    """What `suite.yaml` says. `version` is the suite's own, empty for a suite without that file.

    `releases` maps each version to its ids, as they were called then. `renamed` maps a former id to the present one,
    `retired` to the reason why there is none.
    """

    version: str = ""
    releases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    retired: Mapping[str, str] = field(default_factory=dict)

    def present(self, scenario_id: str) -> str:
        """Return what a scenario is called now."""
        return self.renamed.get(scenario_id, scenario_id)

    def ids(self, version: str) -> frozenset[str]:
        """Return the ids of a release, as they are called now, without what was retired. KeyError: there is none."""
        return frozenset(self.present(each) for each in self.releases[version] if each not in self.retired)


def load_editions(root: Path) -> Editions:
    """Read `suite.yaml` of the suite at `root`, and the list of each release; nothing where it has no such file.

    Raises EditionsError with all problems, or StrictYamlError.
    """
    file = root / "suite.yaml"
    if not os.path.lexists(file):
        return Editions()
    look = Inspection(strict_yaml.load(strict_yaml.read(file, suite=file.parent), file))
    keys = ("version", "releases", "renamed", "retired")
    top = look.mapping(look.document.value, (), "the file", keys, required=("version", "releases")) or {}
    version = look.string(top["version"], ("version",), "version") if "version" in top else None
    if version is not None and not _VERSION.fullmatch(version):
        look.note(("version",), f"{version!r} is no version", 'Write two numbers in quotes: "1.0".')
    words = {key: _words(look, key, top.get(key, {})) for key in ("renamed", "retired")}
    releases = {}
    for number, name in enumerate(look.strings(top.get("releases", []), ("releases",), "releases")):
        if not _VERSION.fullmatch(name):
            look.note(("releases", number), f"{name!r} is no version", "Write it as in 1.0.")
            continue
        listed = root / "releases" / f"{name}.txt"
        if not listed.is_file():
            look.note(
                ("releases", number),
                f"there is no {listed}",
                "Write the ids of the release there, one a line.",
            )
            continue
        releases[name] = tuple(strict_yaml.read(listed, suite=root).decode("utf-8", "replace").split())
    if version is not None and releases and version not in releases:
        look.note(("version",), f"{version} is none of the releases", "Add it to releases, with its list.")
    look.finish(EditionsError)
    return Editions(version or "", releases, words["renamed"], words["retired"])


def _words(look: Inspection, key: str, value: object) -> dict[str, str]:
    entries = look.mapping(value, (key,), key) or {}
    found = {former: look.string(word, (key, former), f"{key} {former}") for former, word in entries.items()}
    return {former: word for former, word in found.items() if word is not None}
