"""Editions: the releases of a suite, the ids that each has, and what became of ids that are no more."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.inspection import Fields, Inspection

_VERSION = re.compile(r"[0-9]+\.[0-9]+")


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

    Raises SuiteError with all problems.
    """
    file = root / "suite.yaml"
    if not os.path.lexists(file):
        return Editions()
    look = Inspection.of(file)
    keys = ("version", "releases", "renamed", "retired")
    top = look.fields(look.document.value, (), "the file", keys, ("version", "releases"))
    version = top.string("version")
    if version is not None and not _VERSION.fullmatch(version):
        look.note(("version",), f"{version!r} is no version", 'Write two numbers in quotes: "1.0".')
    words = {key: _words(top, key) for key in ("renamed", "retired")}
    releases = {}
    for number, name in enumerate(top.strings("releases")):
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
    look.finish()
    return Editions(version or "", releases, words["renamed"], words["retired"])


def _words(top: Fields, key: str) -> dict[str, str]:
    found = {
        former: top.look.string(word, (key, former), f"{key} {former}")
        for former, word in top.mapping(key).items()
    }
    return {former: word for former, word in found.items() if word is not None}
