"""Read the files that calls change, and write the changed files to the disk."""

from __future__ import annotations

import errno
import posixpath
from dataclasses import dataclass, replace
from functools import cached_property

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.files.line_ending_sample import usual_line_ending
from readfirst.reference_impl.refusal import Refusal, refusal_of_os_error
from readfirst.reference_impl.session.access import refuse_nul_at_open
from readfirst.reference_impl.session.checkpoint import Checkpoint
from readfirst.reference_impl.text.content import (
    Format,
    decode,
    format_of,
    unify_line_ends,
    without_byte_order_mark,
)

__all__ = ["Snapshot", "Storage", "refuse_unwritable", "unwritable_note"]


class Snapshot:
    """The content of a file that a call will change, read at its first use. Empty if missing. Raises OSError."""

    def __init__(self, path: str, behaviours: Behaviours) -> None:
        self.path = path
        self._behaviours = behaviours

    @cached_property
    def exists(self) -> bool:
        """Whether the path exists."""
        return disk.exists(self.path)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file."""
        return disk.read(self.path)

    @property
    def text(self) -> str:
        """The text that a call edits, with `\\n` line endings. Empty for a missing file."""
        return self._decode_file[0]

    @property
    def format(self) -> Format:
        """The encoding and line endings that are used to write the text back."""
        return self._decode_file[1]

    def read(self) -> None:
        """Read the content of the file now. Raises OSError, also if the file is missing."""
        _ = self.data

    @cached_property
    def _decode_file(self) -> tuple[str, Format]:
        if not self.exists:
            return "", Format()
        behaviours = self._behaviours
        found = format_of(
            self.data,
            decoded=behaviours.encoding.utf_16_line_endings_are_detected,
            empty_is_latin_1=behaviours.encoding.empty_files_become_latin_1,
        )
        text = unify_line_ends(decode(self.data, found.encoding, keep_surrogates=True))
        mark = behaviours.encoding.edit_hides_byte_order_mark and text != without_byte_order_mark(text)
        file_format = replace(
            found, byte_order_mark=mark, doubles_cr=behaviours.encoding.crlf_in_new_text_becomes_crcrlf
        )
        return without_byte_order_mark(text) if mark else text, file_format


@dataclass(slots=True)
class Storage:
    """Reads and writes files of one session. `root` is the working directory. `checkpoint` saves changed files."""

    root: str
    behaviours: Behaviours
    checkpoint: Checkpoint | None = None
    _line_ending: str | None = None

    def find_file(self, path: str) -> Snapshot:
        """Return the file at a path. The file is read only when its content is first used."""
        return Snapshot(path, self.behaviours)

    def write(self, path: str, data: bytes) -> None:
        """Write bytes to a file, atomically in most versions. Raises Refusal if the system forbids the write."""
        behaviours = self.behaviours
        if behaviours.paths.write_refuses_nul and "\0" in path:
            raise Refusal("os_error", "Path contains null bytes")
        refuse_nul_at_open(path)
        self.refuse_links(path)
        if self.checkpoint is not None:
            self.checkpoint.save(path)
        try:
            self._make_parents(path)
        except OSError as error:
            raise self._mkdir_refusal(error, posixpath.dirname(path.rstrip("/"))) from None
        self.open_directory(path)
        options = disk.ReplaceOptions(
            follow_dangling=behaviours.writing.dangling_links_create_their_target,
            private_mode=behaviours.writing.new_files_get_mode_0600,
            drop_special_bits=behaviours.writing.special_mode_bits_are_lost,
            suffixed_name=behaviours.writing.temporary_name_extends_file_name,
        )
        try:
            if behaviours.writing.write_opens_before_recheck:
                # The file is blamed for an error of opening it, not its replacement.
                disk.path_exists(path)
        except OSError as error:
            raise refusal_of_os_error(error, f"open '{path}'") from None
        try:
            if behaviours.writing.writes_replace_the_file:
                disk.replace(path, data, options)
            else:
                named = behaviours.writing.link_targets_are_named
                disk.overwrite(disk.path_to_replace(path, options) if named else path, data)
        except OSError as error:
            call = "write" if error.errno == errno.ENOSPC else f"open '{error.filename or path}'"
            raise refusal_of_os_error(error, call) from None

    def refuse_links(self, path: str) -> None:
        """Raise Refusal if a call would write to a symbolic link, or below a dangling link."""
        if self.behaviours.writing.dangling_parents_are_refused:
            if not disk.exists(path):
                self.refuse_link(path.rstrip("/"), path)
            _refuse_dangling_parent(path)
        self.refuse_link(path)

    def refuse_link(self, path: str, named: str = "") -> None:
        """Raise Refusal if `path` is a symbolic link. The message contains the path `named` (default: `path`)."""
        wording = self.behaviours.writing.symlink_refusal
        if wording and disk.is_link(path):
            raise Refusal("is_link", wording.format(path=named or path, target=disk.resolve_links(path)))

    def prepare_directory(self, path: str) -> None:
        """Create or, in some versions, open the directory of a missing file for an Edit. Raises Refusal on failure."""
        if self.behaviours.writing.edit_makes_parents_before_match:
            self._make_parents(path)
        self.open_directory(path)

    def open_directory(self, path: str) -> None:
        """Open the directory of a file that a call will write, as some versions do. Raises Refusal if this fails."""
        directory = posixpath.dirname(path)
        if not self.behaviours.writing.parent_is_opened_before_write:
            return
        try:
            disk.check_directory_opens(directory)
        except OSError as error:
            raise refusal_of_os_error(error, f"open '{directory}'") from None

    def _make_parents(self, path: str) -> None:
        disk.make_parents(
            path,
            ignore_dangling=self.behaviours.writing.dangling_parents_surface_at_open,
            private_mode=self.behaviours.writing.new_directories_get_mode_0700,
            check_parent=self.behaviours.writing.mkdir_refuses_file_as_parent,
        )

    def _mkdir_refusal(self, error: OSError, folder: str) -> Refusal:
        """Return the refusal of a call whose missing directory `folder` cannot be created."""
        if self.behaviours.writing.mkdir_refusal_names_first_missing:
            nearest = _nearest_existing_path(folder)
            hangs = not disk.exists(nearest) and nearest != folder
            if hangs and not self.behaviours.writing.dangling_parents_surface_at_open:
                error, folder = NotADirectoryError(errno.ENOTDIR, "", nearest), nearest
            elif error.errno == errno.EACCES:
                folder = error.filename or folder
        return refusal_of_os_error(error, f"mkdir '{folder}'")

    def new_file_line_ending(self) -> str:
        """Return the line ending that new files get. It is determined once per session."""
        if self._line_ending is None:
            self._line_ending = usual_line_ending(self.root)
        return self._line_ending


_CHECKED_BYTES = 8192


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """The reason why the text of a file cannot be written back unchanged, and a further `note` in Read's answer."""

    reason: str
    note: str = ""


_BIG_ENDIAN = _Obstacle("is UTF-16 big-endian (it starts FE FF), which these tools cannot write.")
_NUL = _Obstacle(
    "has NUL bytes in its first 8 KB: binary data, UTF-16/UTF-32 without a byte-order mark, or text with embedded NULs."
)
_NO_UTF_8 = _Obstacle(
    "is not valid UTF-8: it uses a legacy encoding such as Windows-1252, Shift-JIS or GBK, or it is binary.",
    " Its undecodable bytes show above as U+FFFD.",
)


def _decoding_obstacle(data: bytes) -> _Obstacle | None:
    if data.startswith(b"\xff\xfe"):
        return None
    if data.startswith(b"\xfe\xff"):
        return _BIG_ENDIAN
    if b"\0" in data[:_CHECKED_BYTES]:
        return _NUL
    try:
        data.decode()
    except UnicodeDecodeError:
        return _NO_UTF_8
    return None


def unwritable_note(data: bytes) -> str:
    """Return the note in Read's answer that a file's text cannot be written back. Empty if it can be written back."""
    obstacle = _decoding_obstacle(data)
    if obstacle is None:
        return ""
    return (
        f"\n\n[This file {obstacle.reason}{obstacle.note} Edit and Write will refuse it: change it with a shell "
        "command that keeps its encoding, or ask the user whether to convert it to UTF-8.]"
    )


def refuse_unwritable(data: bytes) -> None:
    """Raise Refusal if the text of a file cannot be written back unchanged."""
    if obstacle := _decoding_obstacle(data):
        raise Refusal(
            "unsupported_encoding",
            f"File {obstacle.reason} These tools write UTF-8 (or UTF-16LE behind its byte-order mark) and "
            "never convert a file's encoding on their own, so nothing was written. If the file is text, "
            "make the change with a shell command that reads and writes it in its own encoding (iconv, or "
            "PowerShell Get-Content/Set-Content -Encoding), or ask the user whether to convert it to UTF-8 "
            "first. To replace the whole file with new UTF-8 text anyway, delete it first, then Write it.",
        )


def _refuse_dangling_parent(path: str) -> None:
    """Raise Refusal if a path is below a dangling link, or if it is missing and ends with a slash."""
    above = _nearest_existing_path(posixpath.dirname(path))
    if not disk.exists(above) or (path.endswith("/") and not disk.exists(path)):
        raise Refusal(
            "is_link",
            f"Refusing to write {path}: its parent-directory symlink resolution changed after permission was checked.",
        )


def _nearest_existing_path(folder: str) -> str:
    """Return the path itself, or its nearest parent directory, that exists or is a link."""
    while not disk.exists(folder) and not disk.is_link(folder):
        folder = posixpath.dirname(folder)
    return folder
