// The server that docs/targets.md uses: its tools have other names and arguments than Read, Edit and Write.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const seen = new Map();
const answered = (text, isError = false) => ({ content: [{ type: "text", text }], isError });

function call(tool, { path, old, new: fresh, content }) {
  if (tool === "read_file") {
    seen.set(path, readFileSync(path, "utf8"));
    return answered(seen.get(path));
  }
  if (existsSync(path) && !seen.has(path)) return answered(`Read ${path} first.`, true);
  writeFileSync(path, tool === "write_file" ? content : readFileSync(path, "utf8").replace(old, () => fresh));
  seen.set(path, readFileSync(path, "utf8"));
  return answered("done");
}

function tried(tool, given) {
  try {
    return call(tool, given);
  } catch (error) {
    return answered(String(error), true);
  }
}

const string = { type: "string" };
const tool = (name, ...names) => ({
  name,
  inputSchema: { type: "object", properties: Object.fromEntries(names.map((each) => [each, string])), required: names },
});
const tools = [tool("read_file", "path"), tool("edit_file", "path", "old", "new"), tool("write_file", "path", "content")];
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "my-files", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: given }) => tried(name, given),
};
let text = "";
for await (const part of process.stdin.setEncoding("utf8")) {
  const lines = (text + part).split("\n");
  text = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: methods[method](params) }));
  }
}
