"""Ask a server for its tools, and write a mapping file to start from."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.adapter_api import Adapter, AdapterError
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.adapters.mask_tokens import MASK, mask_tokens
from readfirst.harness.adapters.mcp import McpConnection
from readfirst.harness.adapters.mcp_process import ServerInfo
from readfirst.harness.adapters.server_command import Command
from readfirst.harness.compare.design import DesignUnclear, design_seen
from readfirst.harness.compare.refusals import refusals_seen
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.replay.replay import replay
from readfirst.harness.report.escape import visible
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.atomic_write import write_all, write_new
from readfirst.harness.yaml_io.yaml_writer import emit_flow, emit_string
from readfirst.observatory.targets.adapter import open_target
from readfirst.observatory.targets.infer_mapping import Guess, Tool, guesses
from readfirst.observatory.targets.mapping import load_target

_LEVEL = "level: effects\n"
_DESIGN = (
    "# Refused calls: strict, hash-checked, content-checked or ungated; `readfirst check-adapter` tests it."
)
_REFUSES = "# Refused though Claude Code answers it, and declared, so that it does not count as a failure."
_ERRORS = """\
# How the server words its refusals, for the level `reason`; fixtures/errors.yaml has the names.
"""
_NO_ERRORS = """\
# result:
#   error: {flag: true}
#   errors:
#     not_read: ["Read {file} first."]
"""


class NewMappingError(ReadfirstError):
    """The file cannot be written. The message states the reason and the solution."""


@dataclass(frozen=True, slots=True)
class NewMapping:
    """The path of the written mapping file, and the server's tool for each of Read, Edit and Write. The tool is empty
    if none was found.
    """

    file: Path
    calls: Mapping[str, str]


def write_mapping(command: Command, output: Path | None, time_limit: float) -> NewMapping:
    """Start the MCP server, and write a mapping of its tools to `output`, by default to a file named after the server.

    If the server has Read, its design and the messages of its refusals are tested. Existing files are never replaced.
    Raises NewMappingError, and AdapterError for a server that does not start.
    """
    if output is not None:
        _check(output)
    offer = _list_tools(command, time_limit)
    if not offer.tools:
        raise AdapterError(f"the server {offer.name} offers no tools")
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", offer.name).strip("-.") or "server"
    file = output if output is not None else Path(f"{slug}.yaml")
    _check(file)
    found = guesses([Tool(tool.name, tool.inputSchema) for tool in offer.tools])
    text = "\n".join(_lines(offer, found, command, file)) + "\n"
    try:
        write_new(file, text.encode("utf-8"))
        if "Read" in found:
            write_all({file: _try_server(text, file, time_limit).encode("utf-8")})
    except FileExistsError:
        raise NewMappingError(_there(file)) from None
    except OSError as error:
        raise NewMappingError(f"{file} cannot be written: {error.strerror}.") from error
    return NewMapping(
        file, {tool: found[tool].call if tool in found else "" for tool in ("Read", "Edit", "Write")}
    )


def _try_server(text: str, file: Path, time_limit: float) -> str:
    """Run the server with its new mapping, and return the text of the mapping with the observed design and messages of
    refusals added.
    """
    target = load_target(file)
    try:
        adapter = open_target(target, time_limit=time_limit)
    except AdapterError as error:
        return text.replace(_LEVEL, f"{_LEVEL}{_unknown_design(error)}", 1)
    with closing(traits_of(adapter)), WorkspacePool() as place:
        try:
            design = f"{_DESIGN}\ndesign: {design_seen(adapter, place)}\n" if "Edit" in target.tools else ""
        except DesignUnclear as error:
            design = _unknown_design(error)
        if refuses := refusals_seen(adapter, place):
            design += f"{_REFUSES}\nrefuses: {emit_flow(refuses)}\n"
        wordings = wordings_seen(adapter, place)
    if wordings:
        lines = (f"    {name}: {emit_flow(forms)}\n" for name, forms in wordings.items())
        said = f"# These messages are from this probe.\nresult:\n  error: {{flag: true}}\n  errors:\n{''.join(lines)}"
        text = text.replace(_NO_ERRORS, said, 1)
    return text.replace(_LEVEL, f"{_LEVEL}{design}", 1)


def _unknown_design(error: Exception) -> str:
    return f"{_DESIGN}\n# It is not known: {_comment(str(error)[:200])}\n# design: strict\n"


def _list_tools(command: Command, time_limit: float) -> ServerInfo:
    connection = McpConnection(command.with_absolute_paths(), isolation="process", time_limit=time_limit)
    try:
        return connection.probe()
    except AdapterError as error:
        raise command.explain_error(error) from None
    finally:
        connection.close()


def _check(file: Path) -> None:
    if file.suffix != ".yaml":
        raise NewMappingError(f"{file}: the name of a mapping file must end with .yaml.")
    if file.exists():
        raise NewMappingError(_there(file))
    if not file.parent.is_dir():
        raise NewMappingError(f"there is no directory {file.parent}.")


def _there(file: Path) -> str:
    return f"{file} already exists. Name another file with --output, or remove it."


def _lines(offer: ServerInfo, found: Mapping[str, Guess], command: Command, file: Path) -> Iterator[str]:
    yield "# Started by `readfirst targets new-mapping`; `readfirst docs targets` explains every key."
    yield f"title: {emit_string(' '.join(f'{offer.name} {offer.version}'.split()))}"
    yield "kind: mcp"
    yield "# effects: the files and the refusals. reason and text also compare the answers. safe: only lost and spoiled"
    yield "# work, for a server whose differences from Claude Code neither `design` nor `refuses` describes."
    yield "level: effects"
    yield "versions:"
    yield f"  dev: {{command: {emit_flow(command.relative_to(file.absolute().parent))}}}"
    if command.isolation != "auto":
        yield f"mcp: {{isolation: {command.isolation}}}"
    yield "tools:"
    for tool, guess in found.items():
        yield from _tool(tool, guess)
    called = {guess.call for guess in found.values()}
    if left := [Tool(each.name, each.inputSchema) for each in offer.tools if each.name not in called]:
        yield f"  # {_missing(found)}The server's other tools:"
        yield from (f"  #   {_comment(str(each))}" for each in left)
    elif missing := _missing(found):
        yield f"  # {missing.strip()}"
    yield f"{_ERRORS}{_NO_ERRORS}".rstrip()


def _tool(tool: str, guess: Guess) -> Iterator[str]:
    yield f"  {tool}:"
    yield f"    call: {emit_flow(guess.call)}"
    if guess.arguments:
        yield f"    arguments: {emit_flow(guess.arguments)}"
    if guess.capture:
        yield "    # From the latest answer about the same path; other calls use it."
        yield f"    capture: {emit_flow(guess.capture)}"
    if guess.unsupported:
        yield f"    unsupported: {emit_flow(guess.unsupported)}"
    if guess.replace_all:
        yield f"    replace_all: {emit_flow(guess.replace_all)}"
    for name in guess.unknown:
        yield f"    # The server requires {_comment(name)}, too: give it a constant among the arguments."
    if guess.left:
        names = ", ".join(map(_comment, guess.left))
        yield f"    # Left out, because nothing seems to give them: {names}."


def _comment(words: str) -> str:
    """Return a text of the server as one line for a comment in YAML, with special characters escaped."""
    return visible(" ".join(words.split()))


def _missing(found: Mapping[str, Guess]) -> str:
    missing = [tool for tool in ("Read", "Edit", "Write") if tool not in found]
    return f"Nothing was found for {' and '.join(missing)}. " if missing else ""


SCENARIOS = (
    "gate/edit-unread",
    "gate/write-unread",
    "staleness/edit-after-change",
    "staleness/write-after-change",
    "read-output/missing-file",
    "creation/missing-with-old-string",
    "matching/case-sensitive",
    "matching/two-matches-on-one-line",
    "matching/no-changes",
)
"""Scenarios with a call that every contract refuses with a named error."""
_ALSO_UNREAD = "creation/missing-with-old-string"
"""A scenario whose call is about a file that was not read, too: a server that refuses unread files may answer it with
that message.
"""

_SHORTEST = 4
"""Minimum length of an old_string that is searched in a message. A shorter text may occur in the message by chance."""


def wordings_seen(adapter: Adapter, place: WorkspacePool) -> dict[str, tuple[str, ...]]:
    """Return the server's messages for each error, with placeholders such as `{path}` and `{text}`.

    Messages that the suite recognises without a mapping are omitted, and so are messages that the server uses for
    several errors.
    """
    seen: dict[str, dict[str, None]] = {}
    for scenario_id in SCENARIOS:
        for name, form in _refusals(adapter, place, scenario_id):
            if scenario_id != _ALSO_UNREAD or "not_read" not in seen.get(form, {}):
                seen.setdefault(form, {})[name] = None
    forms: dict[str, list[str]] = {}
    for form, names in seen.items():
        if len(names) == 1:
            forms.setdefault(next(iter(names)), []).append(form)
    return {name: tuple(found) for name, found in forms.items()}


def _refusals(adapter: Adapter, place: WorkspacePool, scenario_id: str) -> Iterator[tuple[str, str]]:
    """Yield the error that a scenario expects of each refused call, and the server's message with placeholders."""
    suite = Suite(default_root())
    scenario = suite.scenario(scenario_id)
    outcome = replay(scenario, adapter, place)
    for step, played in zip(scenario.steps, outcome.steps, strict=False):
        if not isinstance(step, ToolCall) or not played.results or not played.results[0].is_error:
            continue
        expected, text = step.expect.recorded, played.results[0].text.strip()
        if expected is None or not expected.error or suite.vocabulary.name_of(step.tool, text) is not None:
            continue
        if form := _form(text, step, traits_of(adapter).mask):
            yield expected.error, form


def _without_values(text: str, mask: Callable[[str], str]) -> str:
    """Return the text with `{value}` for each token that `mask` or `mask_tokens` hides, if the token contains a digit.
    A hidden token without a digit is an ordinary word and stays.
    """
    first, *parts = mask_tokens(mask(text)).split(MASK)
    found = re.fullmatch("(.*?)".join(map(re.escape, (first, *parts))), text)
    values = found.groups() if found is not None else (MASK,) * len(parts)
    words = ("{value}" if re.search(r"\d", value) else value for value in values)
    return first + "".join(word + part for word, part in zip(words, parts, strict=True))


def _form(text: str, call: ToolCall, mask: Callable[[str], str]) -> str:
    """Return the first line of a refusal with placeholders for the path and the old text of the call, and for hidden
    values. Empty if no words are left.

    `mask` replaces values that the mapping captures from answers.
    """
    first, line_end, _ = text.partition("\n")
    path = str(call.arguments["file_path"])
    for spelling in (path, path.removeprefix("$WS/"), "$WS"):
        first = first.replace(spelling, "{path}")
    old = str(call.arguments.get("old_string", ""))
    if len(old) >= _SHORTEST:
        first = first.replace(old, "{text}")
    form = _without_values(first.rstrip(), mask) + ("{rest}" if line_end else "")
    return form if re.search(r"\w", re.sub(r"\{[a-z]+\}", "", form)) else ""
