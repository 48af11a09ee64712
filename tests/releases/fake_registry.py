"""A registry of small made-up packages on loopback, each of which plays the product in its own way."""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tarfile
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

PACKAGE = "@anthropic-ai/claude-code"
PLATFORM = f"{PACKAGE}-made-up"

Packages = dict[str, dict[str, dict[str, dict[str, str]]]]
"""By name and version: the files, and what must be installed with it."""

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
const fs = require("fs");
const messages = [{ role: "user", content: "go" }];
const tools = ["Read", "Edit", "Write", "NotebookEdit"].map((name) => ({ name, input_schema: { type: "object" } }));

async function ask() {
  const answer = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: process.env.ANTHROPIC_MODEL, stream: true, messages, tools }),
  });
  const blocks = [];
  for (const line of (await answer.text()).split("\\n")) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6));
    if (event.type === "content_block_start") blocks.push({ ...event.content_block, input: "" });
    else if (event.type === "content_block_delta" && "partial_json" in event.delta)
      blocks[blocks.length - 1].input += event.delta.partial_json;
  }
  return blocks.filter((block) => block.type === "tool_use");
}

function run(name, args) {
  const model = process.env.ANTHROPIC_MODEL;
  BEHAVIOUR
}

(async () => {
  for (;;) {
    const content = [];
    for (const use of await ask())
      content.push({ type: "tool_result", tool_use_id: use.id, ...run(use.name, JSON.parse(use.input)) });
    messages.push({ role: "user", content });
  }
})();
"""

EDIT = """
  if (name === "Read") return { content: fs.readFileSync(args.file_path, "utf8") };
  const text = fs.readFileSync(args.file_path, "utf8");
  fs.writeFileSync(args.file_path, text.replace(args.old_string, args.new_string));
  return { content: WORDS };
"""
"""What run() does: Edit replaces, and answers with WORDS."""


def saying(words: str) -> str:
    """Return a behaviour whose Edit answers with a JavaScript expression."""
    return EDIT.replace("WORDS", words)


def published(versions: Mapping[str, str], native: frozenset[str] = frozenset()) -> Packages:
    """Return packages of `versions`, each with its behaviour; `native` of them are programs, the others scripts."""
    packages: Packages = {PACKAGE: {}, PLATFORM: {}}
    for version, behaviour in versions.items():
        program = PROGRAM.replace("BEHAVIOUR", behaviour)
        if version in native:
            packages[PLATFORM][version] = {
                "files": {"claude": "#!/usr/bin/env node\n" + program},
                "needs": {},
            }
            packages[PACKAGE][version] = {"files": {"wrapper.cjs": ""}, "needs": {PLATFORM: version}}
        else:
            packages[PACKAGE][version] = {"files": {"cli.js": program}, "needs": {}}
    return packages


class FakeNpm:
    """A small program called npm, first on the path: it views and installs `packages` without any network."""

    def __init__(self, folder: Path, packages: Packages) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._packages = folder / "packages.json"
        self._log = folder / "npm.log"
        self._packages.write_text(json.dumps(packages))
        self._log.touch()
        program = folder / "npm"
        program.write_text(
            NPM.format(python=sys.executable, packages=str(self._packages), log=str(self._log))
        )
        program.chmod(0o755)

    @property
    def fetched(self) -> list[str]:
        """The versions that were installed, in order."""
        return self._log.read_text().split()

    def close(self) -> None:
        """Let the registry be out of reach from now on."""
        self._packages.unlink(missing_ok=True)


class FakeRegistry:
    """A server that the real npm asks for `packages`."""

    def __init__(self, packages: Packages) -> None:
        self._files: dict[str, bytes] = {}
        self._documents: dict[str, dict[str, Any]] = {}
        self.fetched: list[str] = []
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = registry.answer(unquote(self.path).removeprefix("/"))
                self.send_response(200 if body is not None else 404)
                self.end_headers()
                self.wfile.write(body or b"{}")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        for name, versions in packages.items():
            for version, package in versions.items():
                self._publish(name, version, package["files"], package["needs"])
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    def answer(self, name: str) -> bytes | None:
        """Return a document or a tarball."""
        if name in self._documents:
            return json.dumps(self._documents[name]).encode()
        if name.startswith(f"{PACKAGE}/-/"):
            self.fetched.append(name.rpartition("/")[2].removesuffix(".tgz"))
        return self._files.get(name)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _publish(
        self, name: str, version: str, files: Mapping[str, str], dependencies: Mapping[str, str]
    ) -> None:
        manifest = {"name": name, "version": version, "optionalDependencies": dict(dependencies)}
        data = _tarball({"package.json": json.dumps(manifest), **files})
        file = f"{name}/-/{version}.tgz"
        self._files[file] = data
        document = self._documents.setdefault(name, {"name": name, "dist-tags": {}, "versions": {}})
        integrity = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        document["dist-tags"]["latest"] = version
        document["versions"][version] = {
            **manifest,
            "dist": {"tarball": f"{self.url}/{file}", "shasum": integrity},
        }


def _tarball(files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            data = text.encode()
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(data), 0o755
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()
