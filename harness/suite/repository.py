"""Create a git repository without git. Its one commit has fixed names and dates, so ids are always the same."""

import hashlib
import posixpath
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence

from readfirst.harness.suite.file_entry import OLD_TIME, Entry, RegularFile, Symlink

_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
_AUTHOR = f"x <x> {OLD_TIME} +0000"
_FILE_MODE, _PROGRAM_MODE, _LINK_MODE = 0o100644, 0o100755, 0o120000
_TREE_MODE, _COMMIT_MODE = 0o040000, 0o160000
_READ_ONLY = 0o444

_TrackedPaths = Mapping[str, tuple[int, bytes]]
"""The tracked files of a repository: the mode and the git object id of each path, relative to the repository."""


def repository_files(directories: Sequence[str], files: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the files in `.git` of a scenario's git repositories. Each of the `directories` becomes a repository (`.`:
    the workspace) with one commit, which contains all `files` in the directory. Inner repositories are like submodules.
    """
    git_files: dict[str, Entry] = {}
    heads: dict[str, bytes] = {}
    for directory in sorted(
        (posixpath.normpath(each) for each in directories), key=lambda each: (-len(each), each)
    ):
        prefix = "" if directory == "." else f"{directory}/"
        inner = {path: head for path, head in heads.items() if path.startswith(prefix)}
        objects: dict[bytes, bytes] = {}
        tracked: dict[str, tuple[int, bytes]] = {
            path[len(prefix) :]: (_COMMIT_MODE, head) for path, head in inner.items()
        }
        for path, mode, data in _tracked_contents(files):
            if path.startswith(prefix) and not any(path.startswith(f"{each}/") for each in inner):
                name = path[len(prefix) :]
                if ".git" not in name.split("/"):
                    tracked[name] = mode, _add_object(objects, "blob", data)
        tree = _add_tree(objects, tracked)
        text = f"tree {tree.hex()}\nauthor {_AUTHOR}\ncommitter {_AUTHOR}\n\nx\n"
        heads[directory] = head = _add_object(objects, "commit", text.encode())
        git_files |= _git_files(f"{prefix}.git", objects, head, tracked)
    return git_files


def _tracked_contents(files: Mapping[str, Entry]) -> Iterator[tuple[str, int, bytes]]:
    for path, entry in files.items():
        match entry:
            case RegularFile(mode=mode):
                yield path, _PROGRAM_MODE if mode is not None and mode & 0o100 else _FILE_MODE, entry.data
            case Symlink(target):
                yield path, _LINK_MODE, target.encode()


def _add_object(objects: dict[bytes, bytes], kind: str, data: bytes) -> bytes:
    """Add a git object to `objects`, uncompressed so that its bytes are the same on all systems. Return its id."""
    whole = f"{kind} {len(data)}".encode() + b"\0" + data
    name = hashlib.sha1(whole, usedforsecurity=False).digest()
    objects[name] = zlib.compress(whole, 0)
    return name


def _add_tree(objects: dict[bytes, bytes], tracked: _TrackedPaths) -> bytes:
    below: dict[str, dict[str, tuple[int, bytes]]] = {}
    items: dict[str, tuple[int, bytes]] = {}
    for path, entry in tracked.items():
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, {})[rest] = entry
        else:
            items[name] = entry
    items |= {name: (_TREE_MODE, _add_tree(objects, inner)) for name, inner in below.items()}
    in_order = sorted(items.items(), key=lambda item: item[0] + ("/" if item[1][0] == _TREE_MODE else ""))
    data = b"".join(b"%o %s\0%s" % (mode, name.encode(), id_) for name, (mode, id_) in in_order)
    return _add_object(objects, "tree", data)


def _git_files(
    directory: str, objects: Mapping[bytes, bytes], head: bytes, tracked: _TrackedPaths
) -> dict[str, Entry]:
    files: dict[str, Entry] = {
        f"{directory}/HEAD": RegularFile(b"ref: refs/heads/main\n"),
        f"{directory}/config": RegularFile(_CONFIG),
        f"{directory}/index": RegularFile(_index_bytes(tracked)),
        f"{directory}/refs/heads/main": RegularFile(head.hex().encode() + b"\n"),
    }
    for name, data in objects.items():
        files[f"{directory}/objects/{name.hex()[:2]}/{name.hex()[2:]}"] = RegularFile(data, _READ_ONLY)
    return files


def _index_bytes(tracked: _TrackedPaths) -> bytes:
    entries = []
    for path, (mode, name) in sorted(tracked.items(), key=lambda item: item[0].encode()):
        encoded_path = path.encode()
        entry = struct.pack(">10I", OLD_TIME, 0, OLD_TIME, 0, 0, 0, mode, 0, 0, 0) + name
        entry += struct.pack(">H", min(len(encoded_path), 0xFFF)) + encoded_path
        entries.append(entry + b"\0" * (8 - len(entry) % 8))
    data = b"DIRC" + struct.pack(">2I", 2, len(entries)) + b"".join(entries)
    return data + hashlib.sha1(data, usedforsecurity=False).digest()
