"""Run npm, which is used to install the product and other agents."""

import shutil
import subprocess
from collections.abc import Sequence

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.processes.supervised_process import run_program


def npm(
    arguments: Sequence[str], *, about: str, needed: str, seconds: int, failure: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run npm, and return its exit status and its output as text. Raises AdapterError, which blames the environment, if
    npm is missing, takes longer than `seconds`, or fails and `failure` is not empty. In messages, `needed` is the
    reason why npm is required, `about` the subject of the command, and `failure` the description of a failure.
    """
    program = shutil.which("npm")
    if program is None:
        raise AdapterError(f"npm is not installed; {needed}", blame="environment")
    return run_program([program, *arguments], seconds=seconds, about=about, failure=failure)
