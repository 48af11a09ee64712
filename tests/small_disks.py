"""Tells whether tests on this machine may mount small disks, without using the tested code."""

import shutil
import subprocess
from functools import cache


@cache
def may_mount() -> bool:
    """Return whether a process may mount a file system that only this process sees."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    command = [unshare, "--mount", "--", "mount", "-t", "tmpfs", "none", "/tmp"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
