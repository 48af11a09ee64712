"""Spelling: whether a path argument stays in the workspace or at home, in whichever way an implementation reads it.

Implementations trim paths, expand `~` and variables, decode addresses, take `\\` for `/`, fold Unicode forms or leave
out what is not ASCII. A path is inside if it is in each of these readings.
"""

import fnmatch
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

_NAME = r"\.?[A-Za-z0-9_][\w. ~-]*(?:/\.\.)?(?:/|\Z)"
_PLAIN = re.compile(rf"(?!.* [/~.]|.*//)(?:(?:\$WS|~)/|{_NAME})(?:{_NAME}|\.?/)*", re.ASCII)
"""Paths of ordinary names, of which each `..` takes back the name before it."""
_ABOUT = "\"'`<>()[]{}@=,;|&!?*+^#-"
"""What may come before a path and be taken off, beside spaces and what is not seen."""
_LEADS_OUT = re.compile(r"[/%$]|[A-Za-z][A-Za-z0-9+.@-]*:")
"""How paths begin that are not relative: with a root, a variable, a drive or a scheme."""
_OF_ITS_OWN = re.compile(r"/|~[^/]+/|file:", re.IGNORECASE)
"""What leads elsewhere where nothing is before it any more: a root, another user's home, an address."""
_VARIABLE = re.compile(r"\$[A-Za-z_{(\[]|%[A-Za-z_]\w*(?::[^%]*)?%|![A-Za-z_]\w*!")
_DELAYED = re.compile(r"!\w+!|`[^`]*`")
_OPTION = re.compile(r"(?:(?:--?[\w-]*=)+|-\w)(.*)", re.DOTALL)
_DOUBLED = re.compile(r"(?:\./)*/+(?:\.?/)*[^/]+/+[^/]")
"""How a path goes on after `$WS/` or `~/`, or begins, so that taking that off may leave one from the root."""
_SEVERAL = re.compile(r"[\s,:;|<>&=\"'\0](?:[\\/~]|\.\.(?:[\\/]|\Z)|[A-Za-z]:[\\/]|file:)", re.IGNORECASE)
"""Where a second path may begin, for an implementation that takes an argument for a list of them."""
_UNSEEN = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""What nobody sees, though Unicode counts it as letters and signs."""
_ESCAPE = re.compile(
    r"\\(?:(?:x|u\{?0*(?=[0-9A-Fa-f]{2}\}))([0-9A-Fa-f]{2})\}?|u([0-9A-Fa-f]{4})|([0-7]{1,3})|(.))", re.DOTALL
)
_ONE_OF = re.compile(r"\[[^\]/]+\]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NUMBERED = re.compile(r"%u([0-9A-Fa-f]{4})")
_UP = re.compile(r"(?<![\w.])\.{2,}(?![\w.])")
_SEPARATORS = str.maketrans(dict.fromkeys("\\\u2215\u2044\u29f8\u2216\u29f5\u29f9\u2571\u2572\u3033", "/"))
_MOST_ROUNDS = 6
_MOST_CHARACTERS = 8192
"""No system takes a longer path; to read one in every way takes long."""
_MOST_OF_A_PATTERN = 255
"""Characters of a name with signs of a pattern; no file has a longer one, and to read it takes ever longer."""
ROOT, HOME, _RELATIVE = "$WS", "~", ""


@lru_cache(maxsize=256)
def spelling_problem(path: str) -> str | None:
    """Say how a path argument may lead out of workspace and home; None if it stays inside in every reading.

    Most scenarios name the same few files.
    """
    if _PLAIN.fullmatch(path):
        return None
    if len(path) > _MOST_CHARACTERS:
        return f"is longer than {_MOST_CHARACTERS} characters"
    if _DELAYED.search(path):
        return "names a variable, which may hold anything"
    if (option := _OPTION.match(path)) and (problem := spelling_problem(option[1])):
        return problem
    base, rest = split_path(path)
    for read in sorted(_readings(path)):  # the same one is named each time
        if problem := _problem(path, read):
            return problem
    inside = (rest or "").lstrip("/")
    if _leads_elsewhere(inside) or any(map(_leads_elsewhere, _decoded(inside))):
        return "may be read as beginning at another place"
    if base and any(map(_DOUBLED.match, _readings(inside))):
        return "may be read as beginning at the root"
    return None


def _decoded(path: str) -> set[str]:
    """Return a path as it is and decoded; a `\\` stays, because one name may begin with it."""
    words = {path, _unescaped(path)}
    return words | {_most_read(word, separators={}) for word in words}


def _readings(path: str) -> set[str]:
    """Return a path as it is, decoded, and without what is left out."""
    words = {path, path.translate(_SEPARATORS), _unescaped(path)}
    for _ in range(2):  # what is not ASCII, and what controls, may go before the rest is read, or after
        words |= {_most_read(word) for word in words}
        words |= {word.encode("ascii", "ignore").decode() for word in words}
        words |= {_CONTROL.sub("", word) for word in words}
    return words | {"/".join(map(_with_dots, word.split("/"))) for word in words if "[" in word}


def _problem(path: str, read: str) -> str | None:
    """Say how a path may lead out where an implementation reads it in one way or the other, or in part."""
    base, rest = split_path(path)
    other_base, other_rest = split_path(read)
    if rest is None or other_rest is None:
        return "begins outside the workspace"
    if base != other_base or any(map(_leads_elsewhere, (rest.lstrip("/"), other_rest.lstrip("/")))):
        return "may be read as beginning at another place"
    if _SEVERAL.search(read):
        return "may be read as several"
    if any(_DOUBLED.match(each.removeprefix("/") if base else each) for each in (rest, other_rest)):
        return "may be read as beginning at the root"
    if "$WS" in rest or _VARIABLE.search(rest) or _VARIABLE.search(other_rest):
        return "names a variable, which may hold anything"
    if len(_UP.findall("/".join(map(_with_dots, read.split("/"))))) > sum(
        part == ".." for part in rest.split("/")
    ):
        return "may be read as having more '..' than it has"
    if any(map(_may_be_up, read.split("/"))):
        return "has a pattern that '..' matches"
    if _climbs(rest) or _climbs(other_rest):
        return "leaves the workspace with '..'"
    return None


def _leads_elsewhere(rest: str) -> bool:
    """Whether a path leads out for an implementation that is given it without its base, or writes it anew first."""
    settled: list[str] = []
    for part in rest.split("/"):
        if part == ".." and settled and settled[-1] not in ("", ".."):
            settled.pop()
        elif part != ".":
            settled.append(part)
    return _OF_ITS_OWN.match(_trimmed("/".join(settled))) is not None


def is_plainly_spelled(path: str) -> bool:
    """Whether a path argument is the same in every reading."""
    return _most_read(path) == path


def path_base(path: str) -> str:
    """Return where a path argument begins: `ROOT`, `HOME`, or empty for a relative one."""
    return split_path(path)[0]


def split_path(path: str) -> tuple[str, str | None]:
    """Return where a path argument begins and what follows; None for the latter where it begins outside."""
    path = _trimmed(path)
    for base in (ROOT, HOME):
        if path.startswith(base):
            rest = path[len(base) :]
            return base, rest if not rest or rest[0] == "/" else None
    return _RELATIVE, None if _LEADS_OUT.match(path) else path


def _most_read(path: str, separators: Mapping[int, str] = _SEPARATORS) -> str:
    """Return what an implementation would get that decodes and folds all that any does."""
    for _ in range(_MOST_ROUNDS):
        former = path
        path = _NUMBERED.sub(lambda found: chr(int(found[1], 16)), unicodedata.normalize("NFKC", path))
        path = unescape(unquote(path)).translate(separators)
        if not path.isascii():
            path = "".join(each for each in path if not is_passed_over(each))
        if path == former:
            return path
    return "/"  # decoded without end: it leads anywhere


def is_passed_over(sign: str) -> bool:
    """Whether an implementation, or a file system, may leave a sign out."""
    return sign in _UNSEEN or unicodedata.category(sign) in ("Cf", "Mn", "Me")


def _trimmed(path: str) -> str:
    for at, sign in enumerate(path):
        unseen = sign.isspace() or unicodedata.category(sign)[0] in "CZ" or sign in _UNSEEN
        if sign not in _ABOUT and not unseen:
            return path[at:]
    return ""


def _unescaped(path: str) -> str:
    """Return what a reader of shell words or string literals would get: no quotes, each escape as what it means."""
    return _ESCAPE.sub(_meant, re.sub("[\"'`]", "", path))


def _meant(escape: re.Match[str]) -> str:
    number = escape[1] or escape[2]
    if number:
        return chr(min(int(number, 16), 0xFFFF))
    return chr(int(escape[3], 8)) if escape[3] else escape[4]


def _with_dots(part: str) -> str:
    """Return a part of a path with a dot for each `[...]` that matches one; for one that is too long to tell, `..`."""
    if "[" in part and "." in part and len(part) > _MOST_OF_A_PATTERN:
        return ".."
    return _ONE_OF.sub(lambda found: "." if fnmatch.fnmatchcase(".", found[0]) else found[0], part)


def _may_be_up(part: str) -> bool:
    if "." in part and re.search(r"[@?*+!]\(", part):
        return True
    if "{" in part:
        part = re.sub(r"\{[^{}]*\}", "*", part) if "." in part else ""
    elif part.startswith("*"):  # it matches no name that begins with a dot
        return False
    if not any(sign in part for sign in "?*[{"):
        return False
    return len(part) > _MOST_OF_A_PATTERN or fnmatch.fnmatchcase("..", part)


def _climbs(rest: str) -> bool:
    """Whether some beginning of the path has more `..` than names; names that may be trimmed away do not count."""
    depth = 0
    for part in rest.split("/"):
        if part == "..":
            depth -= 1
        elif re.search(r"\w", _most_read(part)):
            depth += 1
        if depth < 0:
            return True
    return False
