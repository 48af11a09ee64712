"""Editions: the releases of a suite, the ids that each has, and what became of ids that are no more."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.inspection import Inspection

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
    top = look.top.fields(("version", "releases", "renamed", "retired"), ("version", "releases"))
    version = top.string("version")
    if version is not None and not _VERSION.fullmatch(version):
        top["version"].note(f"{version!r} is no version", 'Write two numbers in quotes: "1.0".')
    renamed, retired = (
        {former: word.called(f"{key} {former}").string() or "" for former, word in top.fields(key)}
        for key in ("renamed", "retired")
    )
    releases = {}
    for number, name in enumerate(top.strings("releases")):
        node, listed = top["releases"].below(number), root / "releases" / f"{name}.txt"
        if not _VERSION.fullmatch(name):
            node.note(f"{name!r} is no version", "Write it as in 1.0.")
        elif not listed.is_file():
            node.note(f"there is no {listed}", "Write the ids of the release there, one a line.")
        else:
            releases[name] = tuple(strict_yaml.read(listed, suite=root).decode("utf-8", "replace").split())
    if version is not None and releases and version not in releases:
        top["version"].note(f"{version} is none of the releases", "Add it to releases, with its list.")
    look.finish()
    return Editions(version or "", releases, renamed, retired)
