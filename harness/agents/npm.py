"""npm: ask it, or let it install."""

import shutil
import subprocess
from collections.abc import Sequence

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.processes.supervised_process import run_errand


def npm(
    arguments: Sequence[str], *, about: str, needed: str, seconds: int, failure: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run npm and return how it ended; what it printed is text.

    Raises BrokenAdapter (blame environment) where there is no npm, with what it is `needed` for, or where it takes
    more than so many seconds for what it was asked `about`, and with a `failure` to tell also where it fails.
    """
    program = shutil.which("npm")
    if program is None:
        raise BrokenAdapter(f"npm is not installed; {needed}", blame="environment")
    return run_errand([program, *arguments], seconds=seconds, about=about, failure=failure)
