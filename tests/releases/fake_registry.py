"""A registry of small made-up packages on loopback, each of which plays the product in its own way."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

PACKAGE = "@anthropic-ai/claude-code"
PLATFORM = f"{PACKAGE}-made-up"

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


class FakeRegistry:
    """Serves packages while it is open; `versions` maps each version to its behaviour, `native` of them are programs."""

    def __init__(self, versions: Mapping[str, str], native: frozenset[str] = frozenset()) -> None:
        self._files: dict[str, bytes] = {}
        self._documents: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802 - the library's name
                path = unquote(self.path)
                registry.asked.append(path)
                body = registry.answer(path)
                self.send_response(200 if body is not None else 404)
                self.end_headers()
                self.wfile.write(body or b"{}")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        for version, behaviour in versions.items():
            program = PROGRAM.replace("BEHAVIOUR", behaviour)
            if version in native:
                self._publish(PLATFORM, version, {"claude": "#!/usr/bin/env node\n" + program}, {})
                self._publish(PACKAGE, version, {"wrapper.cjs": ""}, {PLATFORM: version})
            else:
                self._publish(PACKAGE, version, {"cli.js": program}, {})
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    def answer(self, path: str) -> bytes | None:
        """Return a document or a tarball."""
        name = path.removeprefix("/")
        if name in self._documents:
            return json.dumps(self._documents[name]).encode()
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
