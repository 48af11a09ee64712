"""Find the full name, level and baseline of a target before it is started."""

from readfirst.harness.run.connect import kind_of, kinds
from readfirst.harness.run.kinds import TargetDefaults


def target_defaults(connect_string: str) -> TargetDefaults | None:
    """Return the defaults of a target. None if its kind has no defaults. Raises ConnectError."""
    defaults = kinds()[kind_of(connect_string)].defaults
    return None if defaults is None else defaults(connect_string)
