"""Small disks: whether this machine lets a test mount one, asked without the code that is tested."""

import shutil
import subprocess
from functools import cache

__all__ = ["may_mount"]


@cache
def may_mount() -> bool:
    """Tell whether a process may mount a file system that only it sees."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    command = [unshare, "--mount", "--", "mount", "-t", "tmpfs", "none", "/tmp"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
