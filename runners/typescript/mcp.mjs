// Mcp: an MCP server over standard input and output. Each session has a server of its own, started in the workspace.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { LineProcess } from "./process.mjs";

const TOOLS = ["Read", "Edit", "Write", "MultiEdit", "NotebookRead", "NotebookEdit", "Bash"];
const VERSION = "2025-06-18";

export class Mcp {
  capabilities = [];

  /**
   * `$WS` and `$HOME` in words of the command become the directories of a session; words that name files here, their absolute
   * paths. `limit` is in milliseconds per call.
   */
  constructor(command, limit = 30_000) {
    this.command = command.map((word, number) => ((number > 0 || word.includes("/")) && existsSync(word) ? resolve(word) : word));
    this.limit = limit;
  }

  /** Asks a server which tools it offers. */
  async start() {
    const directory = mkdtempSync(join(tmpdir(), "readfirst-"));
    const session = await this.open({ root: directory, home: directory });
    try {
      const { tools } = await session.ask("tools/list", {});
      const offered = TOOLS.filter((name) => tools.some((tool) => tool.name === name));
      if (offered.length === 0) {
        throw new Error(`the server offers no tool called ${TOOLS.join(", ")}: wrap it in an Implementation that renames, without start(); runners/README.md has an example`);
      }
      this.capabilities = [...offered, "parallel", "sessions"];
    } finally {
      await session.close();
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** Each session ends its server. */
  async stop() {}

  async open({ root, home }) {
    const words = this.command.map((word) => word.replaceAll("$WS", root).replaceAll("$HOME", home));
    const session = new McpSession(new LineProcess(words, this.limit, { cwd: root, env: { ...process.env, HOME: home } }));
    const clientInfo = { name: "readfirst", version: "1" };
    await session.ask("initialize", { protocolVersion: VERSION, capabilities: {}, clientInfo });
    session.server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return session;
  }
}

class McpSession {
  #number = 0;

  constructor(server) {
    this.server = server;
  }

  /** Sends requests, and returns the answers in their order. */
  async exchange(requests) {
    const answers = new Map();
    const numbers = requests.map(({ method, params }) => {
      this.server.send({ jsonrpc: "2.0", id: ++this.#number, method, params });
      return this.#number;
    });
    while (!numbers.every((number) => answers.has(number))) {
      const message = await this.server.receive(requests[0].method);
      if (message.method === undefined) answers.set(message.id, message);
      else if (message.id !== undefined) this.server.send(met(message));
    }
    return numbers.map((number) => answers.get(number));
  }

  async ask(method, params) {
    const [{ error, result }] = await this.exchange([{ method, params }]);
    if (error) throw new Error(`the server refuses ${method}: ${error.message}`);
    return result;
  }

  async call(request) {
    return (await this.callParallel([request]))[0];
  }

  async callParallel(requests) {
    const asked = requests.map(({ tool, arguments: given }) => ({ method: "tools/call", params: { name: tool, arguments: given } }));
    return (await this.exchange(asked)).map(({ error, result }) => {
      if (error) return { text: error.message, refused: true };
      const text = result.content.map((block) => block.text ?? `[${block.type}]`).join("\n");
      return { text, refused: result.isError === true };
    });
  }

  async close() {
    await this.server.stop();
  }
}

/** Returns the answer to a request of the server: a ping is all that this client answers. */
function met({ id, method }) {
  const error = { code: -32601, message: `Method not found: ${method}` };
  return { jsonrpc: "2.0", id, ...(method === "ping" ? { result: {} } : { error }) };
}
