import shutil
import subprocess
from functools import cache


@cache
def may_mount() -> bool:
    """Whether this process may mount a file system that only this process sees."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    command = [unshare, "--mount", "--", "mount", "-t", "tmpfs", "none", "/tmp"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
