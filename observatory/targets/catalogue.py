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
    """Return the directory that contains the mapping files of all targets."""
    return Path(__file__).parent


def names() -> list[str]:
    """Return the names of all targets, sorted: the names of their mapping files without `.yaml`."""
    return sorted(file.stem for file in root().glob("*.yaml"))


def targets() -> Iterator[Target]:
    """Yield each version of every target, sorted by name. Raises SuiteError."""
    for name in names():
        target = load_target(root() / f"{name}.yaml")
        for release in target.versions.values():
            yield replace(target, release=release)


def find(spec: str) -> Target:
    """Return a target by `NAME[@VERSION]` or `PATH.yaml@VERSION`. Raises UnknownTargetError, SuiteError."""
    # A version contains no slash, but a path may contain an @.
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
    """Return a sentence that suggests a mapping file, or a target with a similar name, for an unknown target `name`."""
    is_path = "/" in name or name.endswith((".yml", ".json"))
    for file in (Path(name).with_suffix(".yaml"), Path(f"{name}.yaml")):
        if file.is_file():
            return f"A mapping file must end in .yaml. Write target:{file}."
    if is_path and Path(name).is_file():
        return "A mapping file must end in .yaml. Rename the file."
    if is_path:
        return "There is no mapping file with this path. A mapping file must end in .yaml."
    return did_you_mean(name, names())


def baseline_path(target: Target) -> Path:
    """Return the path of a target's baseline file, which may be missing."""
    return target.file.parent / "baselines" / f"{target.pinned}.yaml"
