"""A substitute for npm, and small packages that imitate the product."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent

PACKAGE = "@anthropic-ai/claude-code"
PLATFORM = f"{PACKAGE}-made-up"
"""The package with the program for this operating system."""

Packages = dict[str, dict[str, dict[str, dict[str, str]]]]
"""By name and version. `files`: the contents by path. `needs`: the required versions of packages."""

NPM = """\
#!{python}
import json, pathlib, sys
try:
    packages = json.loads(pathlib.Path({packages!r}).read_text())
except FileNotFoundError:
    sys.exit("npm error code ECONNREFUSED")
command, *rest = sys.argv[1:]
if command == "view":
    versions = list(packages[rest[-2]])
    told = versions if rest[-1] == "versions" else versions[-1]
    print(json.dumps(told) if "--json" in rest else told)
else:
    name, version = rest[-1].rsplit("@", 1)
    with open({log!r}, "a") as log:
        print(version, file=log)
    modules = pathlib.Path(rest[rest.index("--prefix") + 1], "node_modules")
    todo = {{name: version}}
    while todo:
        name, version = todo.popitem()
        package = packages[name][version]
        todo.update(package["needs"])
        for file, text in package["files"].items():
            target = modules / name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            target.chmod(0o755)
"""

PROGRAM = """\
#!{python} -SE
import json, os, sys
from http.client import HTTPConnection

host = os.environ["ANTHROPIC_BASE_URL"].removeprefix("http://")
model = os.environ["ANTHROPIC_MODEL"]
messages = [{{"role": "user", "content": "go"}}]
names = ("Read", "Edit", "Write", "NotebookEdit")
tools = [{{"name": name, "description": name, "input_schema": {{"type": "object"}}}} for name in names]


def asked():
    connection = HTTPConnection(host)
    body = {{"model": model, "stream": True, "messages": messages, "tools": tools}}
    connection.request("POST", "/v1/messages", json.dumps(body), {{"content-type": "application/json"}})
    blocks = []
    for line in connection.getresponse().read().decode().split("\\n"):
        if line.startswith("data: "):
            event = json.loads(line[6:])
            if event["type"] == "content_block_start":
                blocks.append({{**event["content_block"], "input": ""}})
            elif event["type"] == "content_block_delta" and "partial_json" in event["delta"]:
                blocks[-1]["input"] += event["delta"]["partial_json"]
    return [block for block in blocks if block["type"] == "tool_use"]


def run(name, args):
{behaviour}


while True:
    content = []
    for use in asked():
        result = run(use["name"], json.loads(use["input"]))
        content.append({{"type": "tool_result", "tool_use_id": use["id"], **result}})
    messages.append({{"role": "user", "content": content}})
"""
"""Imitates the product: it calls the model, and executes the calls that the model requests."""

SCRIPT = """\
const child = require("child_process").spawnSync({python}, [__dirname + "/program.py"], {{ stdio: "inherit" }});
process.exit(child.status ?? 1);
"""

EDIT = """\
with open(args["file_path"], newline="") as file:
    text = file.read()
if name == "Read":
    return {"content": text}
with open(args["file_path"], "w", newline="") as file:
    file.write(text.replace(args["old_string"], args["new_string"], 1))
return {"content": WORDS}
"""
"""Executes a call. The answer of an Edit is the expression WORDS."""


def saying(words: str) -> str:
    """Return the body whose answer to an Edit is the value of the Python expression `words`."""
    return EDIT.replace("WORDS", words)


def make_packages(versions: Mapping[str, str], scripts: frozenset[str] = frozenset()) -> Packages:
    """Return a package for each of `versions`, which map to their behaviour. Those in `scripts` need node."""
    packages: Packages = {PACKAGE: {}, PLATFORM: {}}
    for version, behaviour in versions.items():
        program = PROGRAM.format(python=sys.executable, behaviour=indent(behaviour, "    "))
        if version in scripts:
            script = SCRIPT.format(python=json.dumps(sys.executable))
            packages[PACKAGE][version] = {"files": {"cli.js": script, "program.py": program}, "needs": {}}
        else:
            packages[PLATFORM][version] = {"files": {"claude": program}, "needs": {}}
            packages[PACKAGE][version] = {"files": {"wrapper.cjs": ""}, "needs": {PLATFORM: version}}
    return packages


class FakeNpm:
    """A program `npm` on the path that lists and installs `packages` without a network."""

    def __init__(self, folder: Path, packages: Packages) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._packages = folder / "packages.json"
        self._log = folder / "npm.log"
        self._packages.write_text(json.dumps(packages))
        self._log.touch()
        program = folder / "npm"
        files = {"packages": str(self._packages), "log": str(self._log)}
        program.write_text(NPM.format(python=sys.executable, **files))
        program.chmod(0o755)

    @property
    def fetched(self) -> list[str]:
        return self._log.read_text().split()

    def close(self) -> None:
        """Make the packages unavailable, as if the registry could not be reached."""
        self._packages.unlink(missing_ok=True)
