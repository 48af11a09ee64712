"""Makes the laws and the wrong implementations importable, and says how much is tried.

`--hypothesis-profile=deep` tries far more, and something else in every run.
"""

import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "wrong_implementations")]

settings.register_profile(
    "laws",
    max_examples=90,
    stateful_step_count=15,
    derandomize=True,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    phases=(
        Phase.generate,
    ),  # what breaks a law is trimmed by its calls, in a hundredth of the time of shrinking
    suppress_health_check=list(HealthCheck),
)
settings.register_profile(
    "deep", settings.get_profile("laws"), max_examples=2000, stateful_step_count=50, derandomize=False
)
