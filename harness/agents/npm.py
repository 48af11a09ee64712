"""Run npm, which installs the product and other agents, and lists their published versions."""

import json
import shutil
import subprocess
from collections.abc import Sequence

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.processes.supervised_process import run_program

_QUERY_TIMEOUT_S = 60


def npm(
    arguments: Sequence[str], *, about: str, needed: str, seconds: int, failure: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run npm, and return its exit status and its output as text. Raises AdapterError if npm is missing or takes longer
    than `seconds`. If npm fails, AdapterError is raised only with a `failure`, the message to use. In messages,
    `needed` is the reason why npm is required, and `about` the subject of the command.
    """
    program = shutil.which("npm")
    if program is None:
        raise AdapterError(f"npm is not installed; {needed}", blame="environment")
    return run_program([program, *arguments], seconds=seconds, about=about, failure=failure)


def newest(package: str) -> str:
    """Return the version that npm marks as `latest`. Raises AdapterError."""
    return str(query_npm(package, "dist-tags.latest"))


def query_npm(package: str, field: str) -> object:
    """Ask npm for a field of a published package. Raises AdapterError, which blames the environment."""
    arguments = ["view", "--json", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", package, field]
    done = npm(arguments, about=package, needed="it lists what is published", seconds=_QUERY_TIMEOUT_S)
    try:
        if done.returncode == 0:
            answer: object = json.loads(done.stdout)
            return answer
    except ValueError:
        pass
    raise AdapterError(
        f"npm does not report the {field} of {package}", blame="environment", details=done.stderr[-2000:]
    )
