"""Target defaults: what a target states before it is started: its full name, level and baseline."""

from dataclasses import dataclass
from pathlib import Path

from readfirst.harness import targets
from readfirst.harness.compare.verdict import Level
from readfirst.harness.run.connect import find_target

# What reads mappings is imported with the first of them: the reference has none.


@dataclass(frozen=True, slots=True)
class TargetDefaults:
    """`connect` names the version; `baseline` is the file of the known failures, which need not be there.

    `claims` is what of Read, Edit and Write the mapping states to have, None where it says nothing.
    """

    connect: str
    level: Level
    baseline: Path
    claims: frozenset[str] | None = None


_REFERENCE = Path(targets.__file__).parent / "baselines" / "reference.yaml"
"""Names where the reference does otherwise than a version of the product; nowhere on the default contract."""


def target_defaults(connect_string: str) -> TargetDefaults:
    """Return the defaults of `reference`, `target:NAME` or `agent:NAME`, which is the same target.

    Raises ConnectError.
    """
    if connect_string == "reference":
        return TargetDefaults(connect_string, "text", _REFERENCE)
    from readfirst.harness.targets.catalogue import known_failures

    rest, target = connect_string.partition(":")[2], find_target(connect_string)
    name = rest.rpartition("@")[0] if rest.endswith(f"@{target.release.version}") else rest
    baseline = known_failures(target)
    return TargetDefaults(f"target:{name}@{target.release.version}", target.level, baseline, target.claims)
