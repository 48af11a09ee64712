"""A program that attacks resources outside its sandbox, and prints the result of each attempt as JSON."""

# Each attack uses the shortest code, without pathlib.
# ruff: noqa: PTH104, PTH110, PTH114, PTH123, PTH208

import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

SYSTEM_DIRECTORIES = ("/tmp", "/run", "/var/tmp", "/etc", "/dev")
LIMITS = (resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC)


def connect(family: int, address: Any) -> bool:
    with socket.socket(family) as client:
        client.settimeout(2)
        client.connect(address)
    return True


def write(path: Path | str) -> bool:
    Path(path).write_text("written by the intruder")
    return True


def kill(pid: int) -> bool:
    os.kill(pid, 9)
    return True


def write_by_a_race(workspace: Path, outside: Path) -> bool:
    """Whether a write left the workspace in a race with a thread that replaces a directory with a link."""
    folder, link = workspace / "folder", workspace / "link-to-outside"
    folder.mkdir()
    link.symlink_to(outside)
    ends = time.monotonic() + 1

    def swap() -> None:
        while time.monotonic() < ends:
            for one, other in ((folder, workspace / "kept"), (link, folder)):
                os.rename(one, other)
            for one, other in ((folder, link), (workspace / "kept", folder)):
                os.rename(one, other)

    threading.Thread(target=swap, daemon=True).start()
    while time.monotonic() < ends:
        try:
            (folder / "raced.txt").write_text("x")
        except OSError:
            continue
        if (outside / "raced.txt").exists():
            return True
    return False


def daemon(words: str) -> bool:
    sleeping = [sys.executable, "-c", "import time; time.sleep(60)", words]
    null = subprocess.DEVNULL
    subprocess.Popen(sleeping, start_new_session=True, stdout=null, stderr=null)
    return True


def attempts(given: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """Return the attempts by name. One that returns a true value succeeds; one that raises an exception fails."""
    outside, workspace, home = Path(given["outside"]), Path.cwd(), Path(given["home"])
    project, suite = Path(given["project"]), Path(given["suite"])
    harness = given["harness"]
    return {
        "read the home directory": (home / "private.txt").read_text,
        "read temporary files of others": (outside / "precious.txt").read_text,
        "read by a way up": Path(f"{workspace}/{'../' * 20}{outside}/precious.txt").read_text,
        "read by a link": lambda: (
            (workspace / "link").symlink_to(outside / "precious.txt") or (workspace / "link").read_text()
        ),
        "read by the root of the harness": Path(f"/proc/{harness}/root{outside}/precious.txt").read_text,
        "read the suite": lambda: os.listdir(suite / "scenarios")[0],
        "write to the home directory": lambda: write(home / "made.txt"),
        "write to the folder of the project": lambda: write(project / "made.txt"),
        "write to the suite": lambda: write(suite / "scenarios" / "made.yaml"),
        **{f"write to {place}": partial(write, given[f"in {place}"]) for place in SYSTEM_DIRECTORIES},
        "write by a race": lambda: write_by_a_race(workspace, outside),
        "link a file outside": lambda: os.link(outside / "precious.txt", workspace / "hard") or True,
        "connect to a port": lambda: connect(socket.AF_INET, ("127.0.0.1", given["port"])),
        "connect to a socket by its path": lambda: connect(socket.AF_UNIX, f"{outside}/agent.sock"),
        "connect to an abstract socket": lambda: connect(socket.AF_UNIX, f"\0{given['abstract']}"),
        "write to a pipe": lambda: bool(
            os.write(os.open(outside / "pipe", os.O_WRONLY | os.O_NONBLOCK), b"x")
        ),
        "kill a process": lambda: kill(given["victim"]),
        "make a daemon": lambda: daemon(given["marker"]),
    }


def facts() -> dict[str, Any]:
    """Return facts about the environment, such as the open descriptors, which have one correct value in the sandbox."""
    remounting = ["mount", "-o", "remount,rw", "/"]
    return {
        "descriptors": [each for each in range(3, 30) if os.path.islink(f"/proc/self/fd/{each}")],
        "devices": os.path.exists("/dev/sda") or os.path.exists("/dev/kmsg"),
        "terminal": os.path.exists("/dev/tty") and may_change("/dev/tty"),
        "kernel": may_change("/proc/sys/vm/swappiness"),
        "services": os.listdir("/run"),
        "few processes": len([name for name in os.listdir("/proc") if name.isdigit()]) < 9,
        "limits": [resource.getrlimit(each) for each in LIMITS],
        "capabilities": [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")],
        "interfaces": [name for _, name in socket.if_nameindex()],
        "remounts": subprocess.run(remounting, capture_output=True, check=False).returncode == 0,
        "own file": Path(__file__).exists(),
        "own workspace": write(Path.cwd() / "own.txt"),
    }


def may_change(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError:
        return False
    return True


def main() -> None:
    found: dict[str, Any] = {}
    for name, attempt in attempts(json.loads(sys.argv[1])).items():
        try:
            found[name] = bool(attempt())
        except Exception as error:
            found[name] = type(error).__name__
    print(json.dumps({"attacks": found, "facts": facts()}))


if __name__ == "__main__":
    main()
