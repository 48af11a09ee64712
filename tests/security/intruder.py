"""What a confined program tries in order to reach what is not its own; prints what came of each attempt as JSON.

Started with the attack's words in JSON: paths outside, and names of sockets.
"""

# It does what anybody may do, in the ways that are shortest.
# ruff: noqa: PTH112, PTH114, PTH115, PTH208

import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

AF_VSOCK, AF_ALG = 40, 38


def connect(address: str) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        client.connect(address)
    return "connected"


def pipe(path: str) -> str:
    os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), b"x")
    return "written"


def make_socket(family: int) -> str:
    socket.socket(family, socket.SOCK_SEQPACKET if family == AF_ALG else socket.SOCK_STREAM).close()
    return "made"


def system_call(number: int, *arguments: int) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *arguments) == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return "done"


def shell(command: str) -> str:
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    return done.stdout.strip() or f"nothing: {bool(done.stderr)}"


def attempts(given: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    outside, inside = Path("/" + given["outside"]), Path("/" + given["inside"])
    up = "../" * 20
    tricks = f"mount -o remount,rw / ; umount -l / ; umount -a -l ; cat {outside}/precious.txt"
    return {
        "socket": lambda: connect(f"{outside}/agent.sock"),
        "abstract socket": lambda: connect(f"\0{given['abstract']}"),
        "pipe": lambda: pipe(f"{outside}/pipe"),
        "file": (outside / "precious.txt").read_text,
        "file by its process": Path(f"/proc/1/root{outside}/precious.txt").read_text,
        "file by another process": Path(f"/proc/{given['harness']}/root{outside}/precious.txt").read_text,
        "file by a way up": Path(f"{inside}/{up}{outside}/precious.txt").read_text,
        "file by a descriptor": lambda: [
            os.readlink(f"/proc/self/fd/{each}")
            for each in range(3, 30)
            if os.path.islink(f"/proc/self/fd/{each}")
        ],
        "file in another namespace": lambda: shell(
            f"unshare --user --map-root-user --mount sh -c '{tricks}'"
        ),
        "control groups": lambda: shell("unshare --user --cgroup echo made"),
        "a link to it": lambda: (
            (inside / "link").symlink_to(outside / "precious.txt") or (inside / "link").read_text()
        ),
        "home": lambda: (Path("/" + given["home"]) / "private.txt").read_text(),
        "folders for temporary files": lambda: {
            place: sorted(os.listdir(place))
            for place in ("/run", "/dev/shm", "/var/tmp")
            if os.path.isdir(place)
        },
        "temporary files of others": lambda: (Path("/tmp") / given["temporary"]).read_text(),
        "passwords": lambda: len(Path("/etc/shadow").read_bytes()),
        "fixtures": lambda: os.listdir("/" + given["fixtures"])[0],
        "socket to the host": lambda: make_socket(AF_VSOCK),
        "socket to the kernel": lambda: make_socket(AF_ALG),
        "ring": lambda: system_call(425, 8, 0),
        "keys of the session": lambda: system_call({"x86_64": 250}.get(os.uname().machine, 219), 0, -3, 0),
        "terminal": lambda: os.open("/dev/tty", os.O_RDWR),
        "disk": lambda: sorted(set(os.listdir("/dev")) - {"fd", "stdin", "stdout", "stderr"}),
        "own folder": (Path(__file__).parent / "__init__.py").exists,
        "own file": lambda: len(Path(__file__).read_text()) > 0,
    }


def main() -> None:
    found = {}
    for name, attempt in attempts(json.loads(sys.argv[1])).items():
        try:
            found[name] = attempt()
        except Exception as error:
            found[name] = type(error).__name__
    print(json.dumps(found))


if __name__ == "__main__":
    main()
