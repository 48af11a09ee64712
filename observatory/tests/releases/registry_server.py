"""A substitute for npm's registry, on the loopback interface."""

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from tests.releases.fake_registry import PACKAGE, Packages


class FakeRegistry:
    """Provides `packages` to the real npm, on the loopback interface."""

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
        """Return the document of a package, or a tarball. None for an unknown name."""
        if name in self._documents:
            return json.dumps(self._documents[name]).encode()
        if name.startswith(f"{PACKAGE}/-/"):
            self.fetched.append(name.rpartition("/")[2].removesuffix(".tgz"))
        return self._files.get(name)

    def close(self) -> None:
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
