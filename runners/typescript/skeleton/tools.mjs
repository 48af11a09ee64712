// Skeleton: three file tools that speak the protocol of docs/protocol.md, to be filled in.
//
//   readfirst run 'lines:node skeleton/tools.mjs' --level effects
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/** The answer to a call that was not executed: its text, and its name in fixtures/errors.yaml. */
class Refusal extends Error {
  constructor(text, name) {
    super(text);
    this.error = name;
  }
}

/** One conversation. It remembers the files that were read. */
class Session {
  constructor({ root }) {
    this.root = root;
    this.seen = new Map();
  }

  path({ file_path: path }) {
    return resolve(this.root, String(path));
  }

  /** Throws a Refusal before anything is changed. */
  validate({ tool, arguments: given }) {
    const path = this.path(given);
    if (!existsSync(path)) {
      if (tool === "Write") return;
      throw new Refusal("File does not exist.", "file_not_found");
    }
    if (tool === "Read") return;
    if (!this.seen.has(path)) {
      throw new Refusal("File has not been read yet. Read it first before writing to it.", "not_read");
    }
    if (this.seen.get(path) !== readFileSync(path, "latin1")) {
      throw new Refusal("File has been modified since read. Read it again.", "modified_since_read");
    }
  }

  /** Performs a validated call, and returns the text for the model. */
  execute({ tool, arguments: given }) {
    const path = this.path(given);
    if (tool === "Read") {
      this.seen.set(path, readFileSync(path, "latin1"));
      return readFileSync(path, "utf8");
    }
    let content = given.content;
    if (tool === "Edit") {
      const text = readFileSync(path, "utf8");
      if (!text.includes(given.old_string)) throw new Refusal("String to replace not found in file.", "string_not_found");
      content = text.replace(given.old_string, () => given.new_string);
    }
    writeFileSync(path, content);
    this.seen.set(path, readFileSync(path, "latin1"));
    return `The file ${path} has been updated.`;
  }

  /** Validates and executes a call. `between`, if it is given, is called between the two. */
  async perform(call, between) {
    try {
      this.validate(call);
      if (between) {
        await between();
        this.validate(call);
      }
      return { text: this.execute(call), refused: false };
    } catch (error) {
      return { text: error.message, refused: true, error: error.error ?? null };
    }
  }
}

const sessions = new Map();

/** Returns the answer to a request, without its id. */
async function met(request) {
  const session = sessions.get(request.session);
  switch (request.do) {
    case "hello":
      return { protocol: 1, name: "skeleton", capabilities: ["Read", "Edit", "Write", "parallel", "during", "cancel", "cut"] };
    case "open":
      sessions.set(request.session, new Session(request));
      return {};
    case "call":
      return session.perform(request, request.pause && (() => paused(request)));
    case "cut":
      return { text: "No answer.", refused: true, error: "no_answer" };
    case "calls": {
      const results = [];
      for (const call of request.calls) results.push(await session.perform(call));
      return { results };
    }
    case "close":
      sessions.delete(request.session);
      return {};
    default:
      return { problem: `there is no ${request.do} here` };
  }
}

function answer(id, fields) {
  process.stdout.write(`${JSON.stringify({ id, ...fields })}\n`);
}

async function paused({ id }) {
  answer(id, { validated: true });
  const { value: next } = await requests.next();
  if (next?.do === "cancel") throw new Refusal("The call was given up.", "cancelled");
}

// Not node:readline, because it also ends lines at U+2028, which may be in a message.
async function* messages() {
  let text = "";
  for await (const part of process.stdin.setEncoding("utf8")) {
    const lines = (text + part).split("\n");
    text = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

const requests = messages();
for (let next; !(next = await requests.next()).done; ) {
  answer(next.value.id, await met(next.value));
}
