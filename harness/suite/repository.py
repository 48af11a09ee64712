"""The files of a git repository, built without git: one commit of the given files, with fixed names and dates."""

import hashlib
import posixpath
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence

from readfirst.harness.suite.file_entry import OLD_TIME, Entry, RegularFile, Symlink

_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
_AUTHOR = f"x <x> {OLD_TIME} +0000"
_FILE, _PROGRAM, _LINK, _FOLDER, _COMMIT = 0o100644, 0o100755, 0o120000, 0o040000, 0o160000
_READ_ONLY = 0o444

_Tracked = Mapping[str, tuple[int, bytes]]
"""The mode and the object id of each tracked path, relative to the repository."""


def repository_files(folders: Sequence[str], files: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the files below `.git` for repositories in these directories of a workspace (`.`: the workspace itself),
    with `files` committed.

    A repository inside another one is tracked as a commit, like a submodule. Hard links are not tracked.
    """
    made: dict[str, Entry] = {}
    heads: dict[str, bytes] = {}
    for folder in sorted((posixpath.normpath(each) for each in folders), key=lambda each: (-len(each), each)):
        prefix = "" if folder == "." else f"{folder}/"
        inner = {path: head for path, head in heads.items() if path.startswith(prefix)}
        objects: dict[bytes, bytes] = {}
        tracked: dict[str, tuple[int, bytes]] = {
            path[len(prefix) :]: (_COMMIT, head) for path, head in inner.items()
        }
        for path, mode, data in _contents(files):
            if path.startswith(prefix) and not any(path.startswith(f"{each}/") for each in inner):
                name = path[len(prefix) :]
                if ".git" not in name.split("/"):
                    tracked[name] = mode, _store(objects, "blob", data)
        tree = _tree(objects, tracked)
        said = f"tree {tree.hex()}\nauthor {_AUTHOR}\ncommitter {_AUTHOR}\n\nx\n"
        heads[folder] = head = _store(objects, "commit", said.encode())
        made |= _laid_out(f"{prefix}.git", objects, head, tracked)
    return made


def _contents(files: Mapping[str, Entry]) -> Iterator[tuple[str, int, bytes]]:
    for path, entry in files.items():
        match entry:
            case RegularFile(mode=mode):
                yield path, _PROGRAM if mode is not None and mode & 0o100 else _FILE, entry.data
            case Symlink(target):
                yield path, _LINK, target.encode()


def _store(objects: dict[bytes, bytes], kind: str, data: bytes) -> bytes:
    """Add a git object, and return its id. It is not compressed, so that its bytes are the same on all systems."""
    whole = f"{kind} {len(data)}".encode() + b"\0" + data
    name = hashlib.sha1(whole, usedforsecurity=False).digest()
    objects[name] = zlib.compress(whole, 0)
    return name


def _tree(objects: dict[bytes, bytes], tracked: _Tracked) -> bytes:
    below: dict[str, dict[str, tuple[int, bytes]]] = {}
    items: dict[str, tuple[int, bytes]] = {}
    for path, entry in tracked.items():
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, {})[rest] = entry
        else:
            items[name] = entry
    items |= {name: (_FOLDER, _tree(objects, inner)) for name, inner in below.items()}
    in_order = sorted(items.items(), key=lambda item: item[0] + ("/" if item[1][0] == _FOLDER else ""))
    data = b"".join(b"%o %s\0%s" % (mode, name.encode(), id_) for name, (mode, id_) in in_order)
    return _store(objects, "tree", data)


def _laid_out(
    folder: str, objects: Mapping[bytes, bytes], head: bytes, tracked: _Tracked
) -> dict[str, Entry]:
    found: dict[str, Entry] = {
        f"{folder}/HEAD": RegularFile(b"ref: refs/heads/main\n"),
        f"{folder}/config": RegularFile(_CONFIG),
        f"{folder}/index": RegularFile(_index(tracked)),
        f"{folder}/refs/heads/main": RegularFile(head.hex().encode() + b"\n"),
    }
    for name, data in objects.items():
        found[f"{folder}/objects/{name.hex()[:2]}/{name.hex()[2:]}"] = RegularFile(data, _READ_ONLY)
    return found


def _index(tracked: _Tracked) -> bytes:
    entries = []
    for path, (mode, name) in sorted(tracked.items(), key=lambda item: item[0].encode()):
        spelled = path.encode()
        entry = struct.pack(">10I", OLD_TIME, 0, OLD_TIME, 0, 0, 0, mode, 0, 0, 0) + name
        entry += struct.pack(">H", min(len(spelled), 0xFFF)) + spelled
        entries.append(entry + b"\0" * (8 - len(entry) % 8))
    data = b"DIRC" + struct.pack(">2I", 2, len(entries)) + b"".join(entries)
    return data + hashlib.sha1(data, usedforsecurity=False).digest()
