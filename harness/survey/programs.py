"""Programs: the steps of a scenario on one target, for people who do not have readfirst: Python, a shell, calls.

What happens to files is said in a shell, also within Python.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from textwrap import indent
from typing import Any

from readfirst.harness.changes.answer import asked, before_steps, clause_answer
from readfirst.harness.report.markup import fenced
from readfirst.harness.suite.entry import RegularFile
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, Step, ToolCall, WorldEvent, calls_of
from readfirst.harness.survey import shell_steps
from readfirst.harness.survey.evidence import Evidence
from readfirst.harness.targets.edit_formats import Knowledge
from readfirst.harness.targets.mapping import McpLaunch, PythonLaunch, Release, Target
from readfirst.harness.targets.translate import Scope, TargetCall, translated

_Lines = list[str]
_Done = _Lines | tuple[TargetCall, ...]
"""What somebody else does in a step, as lines for a shell, or the calls of it."""
_EMPTY = ("umask 022", "export WS=$(mktemp -d)", 'cd "$WS"')
_SCOPE = Scope(Path("$WS"), Path("$HOME"))
_MEANWHILE = "Meanwhile, somebody else:"
_PROTOCOL = "2025-06-18"
_ASK = """\
ask() {  # ask ID REQUEST: send a request, and print the answer to it
  printf '%s\\n' "$2" >&"${SERVER[1]}"
  while IFS= read -r answer <&"${SERVER[0]}"; do
    case $answer in *'"id":'"$1"[,}]* | *'"id": '"$1"[,}]*) printf '%s\\n' "$answer"; return ;; esac
  done
}
"""
_SHOW = """\
def show(tool, **arguments):
    try:
        answer = call(tool, **arguments)
        if isinstance(answer, dict):
            answer = answer.get("text", answer)
    except Exception as error:
        answer = f"{type(error).__name__}: {error}"
    print(f"{tool}: {answer}", flush=True)
"""
_SHELL = """\
def sh(lines):
    subprocess.run(lines, shell=True, check=True, env={**os.environ, "WS": workspace})
"""
_VARIABLE = re.compile(r"\$(WS|HOME|INSTALL|SCRATCH|PYTHON|NODE)\b")
_WORDS = {"SCRATCH": '"$(mktemp -d)"', "PYTHON": '"$INSTALL"/bin/python', "NODE": "node"}


def own_calls(target: Target, scenario: Scenario, step: ToolCall | ParallelCalls) -> list[TargetCall]:
    """Return the calls of a step as the target wants them, `$WS` standing for the workspace."""
    known = _known_before(scenario, step)
    return [translated(target, call.tool, call.arguments, _SCOPE, known) for call in calls_of(step)]


def _known_before(scenario: Scenario, end: Step) -> Knowledge:
    """Return what a model knows of the files before a step, if everything before it goes as the scenario says."""
    there: dict[str, str | None] = {}
    known = Knowledge(there.get)
    said = {each.place: clause_answer(clause) for each in asked(scenario) if (clause := each.expect.recorded)}
    done: tuple[ToolCall, ...] = ()
    for step, files in zip(scenario.steps, before_steps(scenario, said), strict=True):
        for path, entry in files.items():
            text = entry.data.decode("utf-8", "replace") if isinstance(entry, RegularFile) else None
            there[f"$WS/{path}"] = there[path] = text
        for call in done:
            if call.expect.recorded is not None and call.expect.recorded.error is None:
                known.learn(call.tool, call.arguments)
        if step is end:
            break
        done = calls_of(step)
    return known


def steps_section(target: Target, scenario: Scenario, evidence: Evidence) -> Iterator[str]:
    """Yield the blocks, in Markdown, that repeat a scenario up to the step that does not hold."""
    done: list[_Done] = []
    for step in scenario.steps[: evidence.step]:
        match step:
            case WorldEvent():
                done.append(list(shell_steps.event_lines(step)))
            case ToolCall() | ParallelCalls():
                done.append(tuple(own_calls(target, scenario, step)))
            case _:
                done.append(())
    given = list(shell_steps.given_lines(scenario.given))
    shown = list(shell_steps.shown_lines(_paths(scenario, evidence)))
    match target.launch:
        case PythonLaunch() as launch:
            yield fenced("shell", f"pip install {shlex.join(target.release.pip)}")
            yield fenced("python", "\n".join(_python(target, launch, given, done, shown)))
        case McpLaunch() as launch:
            yield fenced("shell", "\n".join(_installed(target.release)))
            yield fenced("bash", "\n".join(_script(target, launch, given, done, shown)))
        case _:
            yield from _played(target, given, done, shown)


def _paths(scenario: Scenario, evidence: Evidence) -> dict[str, int]:
    """Return what to look at afterwards, each with the number of bytes that are expected there, if they are many."""
    paths = {}
    for each in evidence.found:
        kind, _, path = each.what.partition(" ")
        path = path.removeprefix("of ") if kind == "mode" else path
        if kind in ("file", "path", "mode") and not path.startswith(("../", "$HOME/", "$TMPDIR/")):
            long = re.match(r"\((\d+) bytes;", each.expected)
            paths[path] = int(long[1]) if long else 0
    step = scenario.steps[evidence.step - 1]
    if not paths and isinstance(step, ToolCall):
        given = str(step.arguments.get("file_path", ""))
        if given.startswith("$WS/"):
            paths[given.removeprefix("$WS/")] = 0
    return paths


def _python(
    target: Target, launch: PythonLaunch, given: _Lines, done: Sequence[_Done], shown: _Lines
) -> Iterator[str]:
    lines: list[str] = []
    for each in done:
        if isinstance(each, list):
            lines += [f"# {_MEANWHILE}", *_in_a_shell(["sleep 0.1", *each])]
        else:
            lines += map(_shown_call, each)
    yield from ("import os", "import subprocess", "import tempfile", "")
    for name, value in target.environment.items():
        yield f"os.environ[{name!r}] = {_in_python(value)}"
    yield "workspace = tempfile.mkdtemp()"
    yield "os.chdir(workspace)"
    yield from ("", "", *_SHELL.splitlines(), "")
    if given:
        yield from ("", *_in_a_shell(given))
    yield from launch.once.splitlines()
    yield from launch.code.splitlines()
    yield from ("", "", *_SHOW.splitlines(), "", "")
    yield from lines
    if shown:
        yield from _in_a_shell(shown)


def _in_a_shell(lines: Sequence[str]) -> Iterator[str]:
    """Yield a statement that runs the lines in a shell."""
    text = "\n".join(lines)
    if '"""' in text or "\r" in text:
        yield f"sh({text!r})"
    else:
        yield from ('sh(r"""', *lines, '""")')


def _in_python(value: Any) -> str:
    """Return an expression for a value in JSON types, in which `$WS` means the workspace."""
    match value:
        case str() if "$WS" in value:
            first, *rest = (repr(part) if part else "" for part in value.split("$WS"))
            return " + ".join(filter(None, [first, *(word for part in rest for word in ("workspace", part))]))
        case list():
            return f"[{', '.join(map(_in_python, value))}]"
        case Mapping():
            return "{" + ", ".join(f"{key!r}: {_in_python(item)}" for key, item in value.items()) + "}"
        case _:
            return repr(value)


def _shown_call(call: TargetCall) -> str:
    words = [repr(call.name)]
    plain = {key: value for key, value in call.arguments.items() if key.isidentifier()}
    words += [f"{key}={_in_python(value)}" for key, value in plain.items()]
    odd = {key: value for key, value in call.arguments.items() if key not in plain}
    words += [f"**{_in_python(odd)}"] if odd else []
    return f"show({', '.join(words)})"


def _installed(release: Release) -> Iterator[str]:
    yield "export INSTALL=$(mktemp -d)"
    if release.pip:
        yield 'python3 -m venv "$INSTALL"'
        yield f'"$INSTALL"/bin/python -m pip install {shlex.join(release.pip)}'
    if release.npm:
        yield f'npm install --ignore-scripts --prefix "$INSTALL" {shlex.join(release.npm)}'


def _script(
    target: Target, launch: McpLaunch, given: _Lines, done: Sequence[_Done], shown: _Lines
) -> Iterator[str]:
    """Yield a script for bash that speaks JSON-RPC with a server."""
    yield from (*_EMPTY, *given)
    variables = "".join(f" {name}={_word(value)}" for name, value in target.environment.items())
    command = " ".join(map(_word, launch.command))
    yield f"coproc SERVER {{ exec{' env' if variables else ''}{variables} {command} 2>/dev/null; }}"
    yield from _ASK.splitlines()
    numbers = count()
    client = {
        "clientInfo": {"name": "steps", "version": "1"},
        "capabilities": {},
        "protocolVersion": _PROTOCOL,
    }
    yield f"{_request(next(numbers), 'initialize', client)} >/dev/null"
    ready = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    yield f"printf '%s\\n' '{ready}' >&\"${{SERVER[1]}}\""
    for first in target.setup:
        yield _request(next(numbers), "tools/call", {"name": first.call, "arguments": dict(first.arguments)})
    for each in done:
        if isinstance(each, list):
            yield from ("", f"# {_MEANWHILE}", "sleep 0.1", *each, "")
            continue
        for call in each:
            asked = {"name": call.name, "arguments": dict(call.arguments)}
            yield _request(next(numbers), "tools/call", asked)
    yield from (*shown, 'kill "$SERVER_PID"')


def _request(number: int, method: str, parameters: Mapping[str, Any]) -> str:
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
    return f"ask {number} {_word(json.dumps(body))}"


def _word(text: str) -> str:
    """Return a shell word for a text that may name variables of the mapping."""
    if text in ("$PYTHON", "$NODE"):
        return _WORDS[text[1:]]
    parts = _VARIABLE.split(text)
    words = [
        (_WORDS.get(part, f'"${part}"') if number % 2 else shlex.quote(part)) if part else ""
        for number, part in enumerate(parts)
    ]
    return "".join(words) or "''"


def _played(target: Target, given: _Lines, done: Sequence[_Done], shown: _Lines) -> Iterator[str]:
    """Yield what a model does that is to make an agent repeat it, and what happens in a shell meanwhile."""
    yield "In a shell:"
    yield fenced("bash", "\n".join([*_installed(target.release), *_EMPTY, *given]))
    yield f"Start {target.name} in `$WS`, with edits allowed. Its model then does this, call by call:"
    for number, each in enumerate(done, 1):
        if isinstance(each, list):
            yield f"{number}. {_MEANWHILE}"
            yield indent(fenced("bash", "\n".join(each)), "   ", bool)
        else:
            names = ", ".join(f"`{call.name}`" for call in each)
            together = " in one message" if len(each) > 1 else ""
            yield f"{number}. The model calls {names}{together}:"
            for call in each:
                text = json.dumps(dict(call.arguments), ensure_ascii=True)
                yield indent(fenced("json", text), "   ")
    if shown:  # nothing where what differs lies outside the workspace
        yield "What is there afterwards:"
        yield fenced("bash", "\n".join(shown))
