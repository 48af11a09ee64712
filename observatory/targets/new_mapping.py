"""Write a first mapping file for an MCP server, based on the tools that the server offers."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
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
from readfirst.harness.yaml_io.atomic_write import StagedFile, write_all
from readfirst.harness.yaml_io.yaml_writer import emit_flow, emit_string
from readfirst.observatory.targets.adapter import open_target
from readfirst.observatory.targets.infer_mapping import Guess, Tool, guess_calls
from readfirst.observatory.targets.mapping import load_target

_LEVEL_LINE = "level: effects\n"
_DESIGN_COMMENT = (
    "# Refused calls: strict, hash-checked, content-checked or ungated; `readfirst check-adapter` tests it."
)
_REFUSES_COMMENT = (
    "# Calls that this server refuses and Claude Code answers; declared here, they do not count as failures."
)
_ERRORS_COMMENT = """\
# The server's messages for refused calls, for the level `reason`; fixtures/errors.yaml lists the names.
"""
_ERRORS_EXAMPLE = """\
# result:
#   error: {flag: true}
#   errors:
#     not_read: ["Read {file} first."]
"""
_OBSERVED_ERRORS = """\
# These messages were observed while this file was written.
result:
  error: {flag: true}
  errors:
"""


class NewMappingError(ReadfirstError):
    """The new mapping file cannot be written. The message states the reason and the solution."""


def write_mapping(command: Command, output: Path | None, time_limit: float) -> tuple[Path, dict[str, str]]:
    """Write a mapping for an MCP server to `output` (default: a file named after the server). Return its path, and the
    server's tools for Read, Edit and Write. Raises NewMappingError, AdapterError.
    """
    if output is not None:
        _check_output_file(output)
    server = _list_tools(command, time_limit)
    if not server.tools:
        raise AdapterError(f"the server {server.name} offers no tools")
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", server.name).strip("-.") or "server"
    file = output if output is not None else Path(f"{slug}.yaml")
    _check_output_file(file)
    found = guess_calls([Tool(tool.name, tool.inputSchema) for tool in server.tools])
    text = "\n".join(_mapping_lines(server, found, command, file)) + "\n"
    try:
        with StagedFile(file) as staged:
            staged.stream.write(text.encode("utf-8"))
            staged.finish()
            staged.create()
        if "Read" in found:
            write_all({file: _add_observations(text, file, time_limit).encode("utf-8")})
    except FileExistsError:
        raise NewMappingError(_exists_message(file)) from None
    except OSError as error:
        raise NewMappingError(f"{file} cannot be written: {error.strerror}.") from error
    return file, {tool: found[tool].call if tool in found else "" for tool in ("Read", "Edit", "Write")}


def _add_observations(text: str, file: Path, time_limit: float) -> str:
    """Replay scenarios with the mapping `file`, and add the observed design and messages of refusals to `text`."""
    target = load_target(file)
    try:
        adapter = open_target(target, time_limit=time_limit)
    except AdapterError as error:
        return text.replace(_LEVEL_LINE, f"{_LEVEL_LINE}{_unknown_design_comment(error)}", 1)
    with closing(traits_of(adapter)), WorkspacePool() as pool:
        try:
            name = design_seen(adapter, pool) if "Edit" in target.tools else None
            design = f"{_DESIGN_COMMENT}\ndesign: {name}\n" if name else ""
        except DesignUnclear as error:
            design = _unknown_design_comment(error)
        if refuses := refusals_seen(adapter, pool):
            design += f"{_REFUSES_COMMENT}\nrefuses: {emit_flow(refuses)}\n"
        wordings = observe_messages(adapter, pool)
    if wordings:
        lines = (f"    {name}: {emit_flow(forms)}\n" for name, forms in wordings.items())
        text = text.replace(_ERRORS_EXAMPLE, f"{_OBSERVED_ERRORS}{''.join(lines)}", 1)
    return text.replace(_LEVEL_LINE, f"{_LEVEL_LINE}{design}", 1)


def _unknown_design_comment(error: Exception) -> str:
    return f"{_DESIGN_COMMENT}\n# The design could not be tested: {_comment_text(str(error)[:200])}\n# design: strict\n"


def _list_tools(command: Command, time_limit: float) -> ServerInfo:
    connection = McpConnection(command.with_absolute_paths(), isolation="process", time_limit=time_limit)
    try:
        return connection.probe()
    except AdapterError as error:
        raise command.explain_error(error) from None
    finally:
        connection.close()


def _check_output_file(file: Path) -> None:
    if file.suffix != ".yaml":
        raise NewMappingError(f"{file}: the name of a mapping file must end with .yaml.")
    if file.exists():
        raise NewMappingError(_exists_message(file))
    if not file.parent.is_dir():
        raise NewMappingError(f"there is no directory {file.parent}.")


def _exists_message(file: Path) -> str:
    return f"{file} already exists. Name another file with --output, or remove it."


def _mapping_lines(
    server: ServerInfo, found: Mapping[str, Guess], command: Command, file: Path
) -> Iterator[str]:
    yield "# Started by `readfirst targets new-mapping`; `readfirst docs targets` explains every key."
    yield f"title: {emit_string(' '.join(f'{server.name} {server.version}'.split()))}"
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
        yield from _tool_lines(tool, guess)
    called = {guess.call for guess in found.values()}
    if left := [Tool(each.name, each.inputSchema) for each in server.tools if each.name not in called]:
        yield f"  # {_missing_tools_text(found)}The server's other tools:"
        yield from (f"  #   {_comment_text(str(each))}" for each in left)
    elif missing := _missing_tools_text(found):
        yield f"  # {missing.strip()}"
    yield f"{_ERRORS_COMMENT}{_ERRORS_EXAMPLE}".rstrip()


def _tool_lines(tool: str, guess: Guess) -> Iterator[str]:
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
        yield f"    # The server requires {_comment_text(name)}, too: add a constant for it to `arguments`."
    if guess.unused:
        names = ", ".join(map(_comment_text, guess.unused))
        yield f"    # Omitted, because no argument of the contract seems to match them: {names}."


def _comment_text(words: str) -> str:
    """Return a text from the server as it can be written in a YAML comment: one line, special characters escaped."""
    return visible(" ".join(words.split()))


def _missing_tools_text(found: Mapping[str, Guess]) -> str:
    missing = [tool for tool in ("Read", "Edit", "Write") if tool not in found]
    return f"Nothing was found for {' and '.join(missing)}. " if missing else ""


REFUSAL_SCENARIOS = (
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
"""The scenarios that `observe_messages` replays. Each contains a call that every contract refuses."""
_SCENARIO_WITHOUT_READ = "creation/missing-with-old-string"
"""An Edit of a missing file without a Read. A server may refuse this Edit with the message for unread files."""

_MIN_QUOTED_CHARS = 4
"""Minimum length of an old_string that `{text}` replaces: a shorter text may occur in a message by chance."""


def observe_messages(adapter: Adapter, pool: WorkspacePool) -> dict[str, tuple[str, ...]]:
    """Return the server's refusal messages that the suite lacks, by error name, unless several errors share them."""
    seen: dict[str, dict[str, None]] = {}
    for scenario_id in REFUSAL_SCENARIOS:
        for name, form in _observe_refusals(adapter, pool, scenario_id):
            if scenario_id != _SCENARIO_WITHOUT_READ or "not_read" not in seen.get(form, {}):
                seen.setdefault(form, {})[name] = None
    forms: dict[str, list[str]] = {}
    for form, names in seen.items():
        if len(names) == 1:
            forms.setdefault(next(iter(names)), []).append(form)
    return {name: tuple(found) for name, found in forms.items()}


def _observe_refusals(adapter: Adapter, pool: WorkspacePool, scenario_id: str) -> Iterator[tuple[str, str]]:
    """Replay a scenario, and yield for each refused call the expected error and the message with placeholders."""
    suite = Suite(default_root())
    scenario = suite.scenario(scenario_id)
    outcome = replay(scenario, adapter, pool)
    for step, played in zip(scenario.steps, outcome.steps, strict=False):
        if not isinstance(step, ToolCall) or not played.results or not played.results[0].is_error:
            continue
        expected, text = step.expect.recorded, played.results[0].text.strip()
        if expected is None or not expected.error or suite.vocabulary.name_of(step.tool, text) is not None:
            continue
        if form := _message_form(text, step, traits_of(adapter).mask):
            yield expected.error, form


def _replace_values(text: str, mask: Callable[[str], str]) -> str:
    """Replace each value that `mask` or `mask_tokens` masks and that contains a digit, such as a hash, by `{value}`."""
    first, *parts = mask_tokens(mask(text)).split(MASK)
    found = re.fullmatch("(.*?)".join(map(re.escape, (first, *parts))), text)
    values = found.groups() if found is not None else (MASK,) * len(parts)
    words = ("{value}" if re.search(r"\d", value) else value for value in values)
    return first + "".join(word + part for word, part in zip(words, parts, strict=True))


def _message_form(text: str, call: ToolCall, mask: Callable[[str], str]) -> str:
    """Return a message's first line, with `{path}`, `{text}`, `{value}` for varying texts. Empty if no word is left."""
    first, line_end, _ = text.partition("\n")
    path = str(call.arguments["file_path"])
    for spelling in (path, path.removeprefix("$WS/"), "$WS"):
        first = first.replace(spelling, "{path}")
    old = str(call.arguments.get("old_string", ""))
    if len(old) >= _MIN_QUOTED_CHARS:
        first = first.replace(old, "{text}")
    form = _replace_values(first.rstrip(), mask) + ("{rest}" if line_end else "")
    return form if re.search(r"\w", re.sub(r"\{[a-z]+\}", "", form)) else ""
