"""List the targets, and find a target by `NAME@VERSION` or by the path of its mapping file."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.yaml_io.yaml_validation import did_you_mean
from readfirst.observatory.targets.mapping import Target, load_target


class UnknownTargetError(ReadfirstError, LookupError):
    """The target does not exist. The message lists the targets."""


def root() -> Path:
    """Return the directory of the mapping files."""
    return Path(__file__).parent


def names() -> list[str]:
    """Return the names of all mapping files, sorted."""
    return sorted(file.stem for file in root().glob("*.yaml"))


def targets() -> Iterator[Target]:
    """Yield each version of every target, sorted by name. Raises SuiteError."""
    for name in names():
        target = load_target(root() / f"{name}.yaml")
        for release in target.versions.values():
            yield replace(target, release=release)


def find(spec: str) -> Target:
    """Return the target that `NAME`, `NAME@VERSION` or `PATH.yaml@VERSION` names. Without a version, return the newest
    version.

    Raises UnknownTargetError, and SuiteError for an invalid mapping file.
    """
    # A version holds no slash; a path may hold an @.
    name, at, version = spec.rpartition("@")
    if not at or "/" in version:
        name, version = spec, ""
    if name.endswith(".yaml"):
        target = load_target(Path(name))
    else:
        if name not in names():
            raise UnknownTargetError(f"there is no target {name!r}. {_suggest(name)}")
        target = load_target(root() / f"{name}.yaml")
    if not version:
        return target
    if version not in target.versions:
        there = ", ".join(target.versions)
        raise UnknownTargetError(
            f"{target.name} has no version {version!r}, only {there}. To use another, add a line to {target.file.name}."
        )
    return replace(target, release=target.versions[version])


def _suggest(name: str) -> str:
    """Return the advice for the name of an unknown target: the mapping file that it probably means, or a target."""
    is_path = "/" in name or name.endswith((".yml", ".json"))
    for file in (Path(name).with_suffix(".yaml"), Path(f"{name}.yaml")):
        if file.is_file():
            return f"The file of a mapping ends in .yaml. Write target:{file}."
    if is_path and Path(name).is_file():
        return "The file of a mapping ends in .yaml. Rename the file."
    if is_path:
        return "A path is the file of a mapping, which ends in .yaml, and this file does not exist."
    return did_you_mean(name, names())


def known_failures(target: Target) -> Path:
    """Return the path of a target's baseline file, which may be missing."""
    return target.file.parent / "baselines" / f"{target.pinned}.yaml"
