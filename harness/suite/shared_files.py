"""The files that all scenarios of a suite use, such as `rules.yaml`. A suite inherits the definitions in these files
from the suite that it extends: the bundled suite, or the suite before it in `--fixtures`. If a suite defines contracts
of published versions, its files replace the inherited ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from readfirst.harness.yaml_io.finding import Finding, SuiteError

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contracts
    from readfirst.harness.suite.error_names import Vocabulary
    from readfirst.harness.suite.rules import Rules

Shared = TypeVar("Shared")
_PRODUCT_FILES = frozenset({"tools.json", "results.json", "releases.yaml"})
"""Files about the versions of a product. A suite with contracts of published versions does not inherit these files."""
_PARTIAL_PREFIX = "part of "


def partial_title(title: str) -> str:
    """Return the title of suites that are only used in part, such as `part of readfirst 1.0`."""
    return title if title.startswith(_PARTIAL_PREFIX) else f"{_PARTIAL_PREFIX}{title}"


def suite_names_in_title(title: str) -> set[str]:
    """Return the names of the suites in a title: `readfirst` and `ours` in `readfirst 1.0 + ours 0.1`."""
    titles = (each.removeprefix(_PARTIAL_PREFIX) for each in title.split(" + "))
    return {each.rpartition(" ")[0] or each for each in titles}


def is_partial_title(title: str) -> bool:
    """Whether a title (see `partial_title`) states that only a part of a suite is used."""
    return _PARTIAL_PREFIX in title


class SharedFiles:
    """The shared files of a suite, such as `rules.yaml`. A definition replaces the inherited definition of its name."""

    root: Path
    _has_base: bool
    """Whether this suite also includes the scenarios of the suite that it extends."""

    @property
    def _below(self) -> SharedFiles | None:
        """The suite whose shared files this suite inherits. None without such a suite."""
        raise NotImplementedError

    def has_own(self, name: str) -> bool:
        """Whether the directory of this suite contains a shared file, such as `rules.yaml`."""
        return os.path.lexists(self.root / name)

    @cached_property
    def _replaces_entries(self) -> bool:
        """Whether this suite defines contracts of published versions. Such a suite inherits no definitions."""
        from readfirst.harness.yaml_io import strict_yaml

        path = self.root / "contracts.yaml"
        if self._has_base or not self.has_own("contracts.yaml"):
            return False
        try:
            listed = strict_yaml.load(path.read_bytes(), path).value["contracts"].values()
            return any("version" in contract for contract in listed)
        except (SuiteError, OSError, LookupError, TypeError, AttributeError):
            return False  # `contracts` reports the error in the file

    def file(self, name: str) -> Path:
        """Return the path of a shared file in this suite, or in the extended suite if this suite lacks the file."""
        below = self._below
        is_own = self.has_own(name) or (name in _PRODUCT_FILES and self._replaces_entries)
        return self.root / name if below is None or is_own else below.file(name)

    def _load_shared(
        self, name: str, load: Callable[[Path], Shared], below: Callable[[SharedFiles], Shared]
    ) -> tuple[Shared, ...]:
        """Return the contents of a shared file: of the extended suite, then of this suite. Missing files are skipped.
        `load` reads the file of this suite, `below` the content in the extended suite.
        """
        if self.has_own(name) and self._replaces_entries:
            return (load(self.root / name),)
        below_entries = () if self._below is None else (below(self._below),)
        return (
            below_entries
            if below_entries and not self.has_own(name)
            else (*below_entries, load(self.root / name))
        )

    @cached_property
    def contracts(self) -> Contracts:
        """The contracts of this suite, and of the suite that it extends. Raises SuiteError."""
        from readfirst.harness.suite.contracts import load_contracts

        def load(path: Path) -> Contracts:
            below = None if self._replaces_entries else self._below
            return load_contracts(path, None if below is None else below.contracts)

        return self._load_shared("contracts.yaml", load, lambda suite: suite.contracts)[-1]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The names of errors that this suite uses. Raises SuiteError."""
        from readfirst.harness.suite.error_names import Vocabulary, load_vocabulary

        layers = self._load_shared("errors.yaml", load_vocabulary, lambda suite: suite.vocabulary)
        return Vocabulary({name: entry for layer in layers for name, entry in layer.names.items()})

    @cached_property
    def tags(self) -> Mapping[str, str]:
        """The tags that scenarios may use, and the meaning of each tag. Raises SuiteError."""
        from readfirst.harness.suite.schema import read_checked

        def load(path: Path) -> Mapping[str, str]:
            with read_checked(path, "tags") as inspection:
                tags: Mapping[str, str] = inspection.document.value["tags"]
                return tags

        merged: dict[str, str] = {}
        for tags in self._load_shared("tags.yaml", load, lambda suite: suite.tags):
            merged |= tags
        return merged

    @cached_property
    def rules(self) -> Rules | None:
        """The rules of the suite. None if `rules.yaml` contains no rules. Raises SuiteError."""
        from readfirst.harness.suite.rules import load_rules, merge_rules

        def load(path: Path) -> Rules | None:
            return load_rules(path, None if self._below is None else self._below.rules)

        layers = self._load_shared("rules.yaml", load, lambda suite: suite.rules)
        return merge_rules(layers) if layers[-1] or self._has_base else None

    def check_shared_files(self) -> None:
        """Read all shared files, to find errors. Raises SuiteError with the problems of all files."""
        findings: dict[Finding, None] = {}
        for name in ("contracts", "vocabulary", "tags", "rules"):
            try:
                getattr(self, name)
            except SuiteError as error:
                findings |= dict.fromkeys(error.findings)
        if findings:
            raise SuiteError([*findings])

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """The ids of all rules. Raises SuiteError."""
        return () if self.rules is None else tuple(self.rules.by_id)

    @cached_property
    def _identity(self) -> Mapping[str, str]:
        """The content of `suite.yaml`. Empty if the file is missing. Raises SuiteError."""
        if not self.has_own("suite.yaml"):
            return {}
        from readfirst.harness.suite.schema import read_checked

        with read_checked(self.root / "suite.yaml", "suite") as inspection:
            identity: Mapping[str, str] = inspection.document.value
            return identity

    @property
    def version(self) -> str:
        """The version of the suite, as stated in `suite.yaml`. Empty if the file is missing. Raises SuiteError."""
        return str(self._identity.get("version", ""))

    @property
    def name(self) -> str:
        """The name in `suite.yaml`; without this file, the name of the directory. Raises SuiteError."""
        return self._identity.get("name", "") or self.root.resolve().name
