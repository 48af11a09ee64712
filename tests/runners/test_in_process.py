"""An implementation in a runner's language can run in its process. The runners use readfirst's baselines."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.page import code
from tests.runners.verdicts import ROOT, write_export

IDS = ["gate/edit-unread", "staleness/edit-after-change"]
ACCEPTED = """\
name: mine
accepted:
  - {scenario: staleness/edit-after-change, contract: "2.1.7", level: safe, reason: "It edits nothing."}
"""
EMPTY = "name: mine\naccepted: []\n"
IN_GO = """
package mine

import (
	"testing"

	"readfirst"
)

type tools struct{}

func (tools) Capabilities() []string { return []string{"Read", "Edit", "Write"} }
func (tools) Open(readfirst.Opening) (readfirst.Session, error) { return tools{}, nil }
func (tools) Close() error { return nil }
func (tools) Call(readfirst.Request) (readfirst.Result, error) {
	return readfirst.Result{Text: "No.", Refused: true, Error: "not_read"}, nil
}

func TestConformance(t *testing.T) {
	suite, err := readfirst.Load("suite.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	readfirst.Run(t, suite, tools{}, readfirst.Options{Level: "effects", Baseline: "accepted.yaml"})
}
"""
IN_JAVASCRIPT = """
import { test } from "node:test";
import { load, run } from "RUNNER";

const session = { call: () => ({ text: "No.", refused: true, error: "not_read" }) };
const tools = { capabilities: ["Read", "Edit", "Write"], open: () => session };

const options = { level: "effects", baseline: "accepted.yaml" };

test("conformance", (context) => run(context, load("suite.jsonl.gz"), tools, options));
"""


ETAG_SERVER = """
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const etag = (path) => createHash("sha1").update(readFileSync(path)).digest("hex");
const call = (name, { path, find, replace_with: fresh, text, etag: given }) => {
  const refused = name !== "read_file" && existsSync(path) && given !== etag(path);
  if (refused) return { content: [{ type: "text", text: `give the etag: ${etag(path)}` }], isError: true };
  if (name !== "read_file") writeFileSync(path, text ?? readFileSync(path, "utf8").replace(find, () => fresh));
  const shown = readFileSync(path, "utf8").split("\\n").map((line, number) => `${number + 1}\\t${line}`).join("\\n");
  return { content: [{ type: "text", text: `etag: ${etag(path)}\\n${shown}` }] };
};
const hello = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "etag", version: "1" } };
let rest = "";
for await (const part of process.stdin.setEncoding("utf8")) {
  const lines = (rest + part).split("\\n");
  rest = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    const result = method === "initialize" ? hello : method === "tools/call" ? call(params.name, params.arguments) : {};
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
}
"""


def run_command(folder: Path, *words: str) -> str:
    variables = {**os.environ, "GOFLAGS": "-mod=mod"}
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def run_with_baselines(folder: Path, *command: str) -> Iterator[str]:
    """Yield the output with a baseline that accepts the failure, an empty one, and one for a test that passes."""
    write_export(folder / "suite.jsonl.gz", IDS)
    for baseline in (ACCEPTED, EMPTY, ACCEPTED.replace("staleness/edit-after-change", "gate/edit-unread")):
        (folder / "accepted.yaml").write_text(baseline)
        yield run_command(folder, *command)


def node_test(folder: Path, text: str) -> list[str]:
    """Write a test in JavaScript, with the runner's path for RUNNER. Return the command that runs the test."""
    test = folder / "mine.test.mjs"
    test.write_text(text.replace("RUNNER", f"{ROOT}/runners/typescript/index.mjs"))
    return ["node", "--test", "--test-reporter=tap", str(test)]


@pytest.mark.go
def test_an_implementation_in_go_is_judged_in_process(tmp_path: Path) -> None:
    module = f"module mine\nrequire readfirst v0.0.0\nreplace readfirst => {ROOT}/runners/go\n"
    (tmp_path / "go.mod").write_text(module)
    (tmp_path / "mine_test.go").write_text(IN_GO)
    run_command(tmp_path, shutil.which("go") or "go", "test", "-c", "-o", "mine.test", ".")
    accepted, failing, refused = run_with_baselines(tmp_path, "./mine.test", "-test.v")
    assert "--- PASS: TestConformance/gate/edit-unread" in accepted
    assert "accepted: It edits nothing." in accepted
    assert "FAIL" not in accepted
    assert "--- FAIL: TestConformance/staleness/edit-after-change" in failing
    assert "accepts a failure at the level" in refused


@pytest.mark.node
def test_an_implementation_in_javascript_is_judged_in_process(tmp_path: Path) -> None:
    accepted, failing, refused = run_with_baselines(tmp_path, *node_test(tmp_path, IN_JAVASCRIPT))
    assert "ok 1 - gate/edit-unread" in accepted
    assert "# SKIP accepted: It edits nothing." in accepted
    assert "# fail 0" in accepted
    assert "not ok 2 - staleness/edit-after-change" in failing
    assert "accepts a failure at" in refused


@pytest.mark.node
def test_the_wrapper_for_a_javascript_library_on_the_page_works(tmp_path: Path) -> None:
    write_export(tmp_path / "suite.jsonl.gz", [*IDS, "gate/edit-after-read", "state/edit-chain"])
    (tmp_path / "etag.mjs").write_text(ETAG_SERVER)
    (tmp_path / "accepted.yaml").write_text(EMPTY)
    (wrapper,) = code("runners/README.md", "js wrapper")
    wrapper = wrapper.replace('level: "safe"', 'level: "effects"').replace("readfirst-runner", "RUNNER")
    command = node_test(tmp_path, wrapper)
    judged = run_command(tmp_path, *command)
    assert "# pass 5" in judged, judged
    assert "# fail 0" in judged
    command = node_test(tmp_path, wrapper.replace("{ etag }", "{}"))
    assert "# fail 3" in run_command(tmp_path, *command)  # two scenarios, and the test around them
