"""Editions: the releases of a suite, the ids that each has, and what became of ids that are no more."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from readfirst.harness.source import strict_yaml
from readfirst.harness.suite.schema import checked


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
    with checked(file, "suite") as look:
        said, releases = look.document.value, {}
        for number, name in enumerate(said["releases"]):
            listed = root / "releases" / f"{name}.txt"
            if listed.is_file():
                releases[name] = tuple(
                    strict_yaml.read(listed, suite=root).decode("utf-8", "replace").split()
                )
            else:
                fix = "Write the ids of the release there, one a line."
                look.note(("releases", number), f"there is no {listed}", fix)
        if releases and said["version"] not in releases:
            message = f"{said['version']} is none of the releases"
            look.note(("version",), message, "Add it to releases, with its list.")
        return Editions(said["version"], releases, said.get("renamed", {}), said.get("retired", {}))
