// Lines: a program that speaks the protocol of docs/protocol.md.
import { spawn } from "node:child_process";
import { printed } from "./suite.mjs";

export class Lines {
  #process;
  #waiting = "";
  #expecting;
  #printed = "";
  #requests = 0;
  #sessions = 0;
  capabilities = [];

  /** `limit` is in milliseconds per call. */
  constructor(command, limit = 30_000) {
    this.command = command;
    this.limit = limit;
  }

  /** Starts the program unless it runs, and asks what it can do. */
  async start() {
    if (this.#process) return;
    const started = spawn(this.command[0], this.command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
    this.#process = started;
    this.#waiting = "";
    const parts = [];
    started.stdout.setEncoding("utf8").on("data", (part) => {
      parts.push(part);
      if (!part.includes("\n")) return;
      const line = parts.join("");
      parts.length = 0;
      this.#expecting?.resolve(line);
    });
    started.stderr.setEncoding("utf8").on("data", (part) => (this.#printed = (this.#printed + part).slice(-1024)));
    started.stdin.on("error", () => {});
    const ended = (why) => {
      if (this.#process === started) this.#process = undefined;
      this.#expecting?.reject(new Error(`the program ${why}\n${printed(this.#printed)}`));
    };
    started.on("error", (error) => ended(error.message));
    started.on("close", (code, signal) => ended(`ended with ${code ?? signal}`));
    const hello = await this.ask({ do: "hello", protocol: 1 });
    if (hello.protocol !== 1) throw new Error(`the program speaks protocol ${printed(String(hello.protocol))}`);
    this.capabilities = hello.capabilities;
  }

  /** Ends the program. */
  async stop() {
    const running = this.#process;
    if (!running) return;
    const gone = new Promise((resolve) => running.once("close", resolve));
    running.stdin.end();
    const late = setTimeout(() => running.kill("SIGKILL"), 1000);
    await gone;
    clearTimeout(late);
  }

  get runs() {
    return this.#process !== undefined;
  }

  async open(opening) {
    await this.start();
    const session = new LinesSession(this, ++this.#sessions);
    await session.ask({ do: "open", ...opening });
    return session;
  }

  next() {
    return ++this.#sessions;
  }

  /** Sends a request and returns its answer, awaiting `interfere` where the program has validated; `then` it may go on. */
  async ask(request, interfere, then = "go") {
    const id = ++this.#requests;
    let answer = await this.#exchange({ id, ...request });
    if (answer.validated && interfere) {
      await interfere();
      answer = await this.#exchange({ id, do: then });
    }
    if (answer.problem !== undefined) throw new Error(`the program has a problem: ${printed(String(answer.problem))}`);
    return answer;
  }

  async #exchange(message) {
    const started = this.#process;
    if (!started) throw new Error("the program had already ended");
    const coming = new Promise((resolve, reject) => (this.#expecting = { resolve, reject }));
    started.stdin.write(`${JSON.stringify(message)}\n`);
    const late = setTimeout(() => {
      this.#expecting?.reject(new Error(`${message.do} took longer than ${this.limit / 1000} s`));
      started.kill("SIGKILL");
    }, this.limit);
    try {
      const line = await coming;
      let answer;
      try {
        answer = JSON.parse(line);
      } catch {
        throw new Error(`the program wrote something that is not an answer: ${printed(line.slice(0, 200))}`);
      }
      if (answer?.id !== message.id) throw new Error(`the program answered another request: ${printed(line.slice(0, 200))}`);
      return answer;
    } catch (error) {
      if (this.#process === started) {
        started.kill("SIGKILL");
        this.#process = undefined;
      }
      throw error;
    } finally {
      clearTimeout(late);
      this.#expecting = undefined;
    }
  }
}

class LinesSession {
  constructor(program, number) {
    this.program = program;
    this.number = number;
  }

  ask(request, interfere, then) {
    return this.program.ask({ session: this.number, ...request }, interfere, then);
  }

  call(request) {
    return this.ask({ do: "call", ...request });
  }

  callDuring(request, interfere) {
    return this.ask({ do: "call", pause: true, ...request }, interfere);
  }

  callInterrupted({ tool, arguments: given }, how, interfere) {
    if (how !== "cancelled") return this.ask({ do: "cut", tool, text: given, by: how });
    return this.ask({ do: "call", pause: true, ends: how, tool, arguments: given }, interfere, "cancel");
  }

  async callParallel(calls) {
    return (await this.ask({ do: "calls", calls })).results;
  }

  async happen(event, path) {
    await this.ask(path === undefined ? { do: event } : { do: event, path });
  }

  async subAgent() {
    const agent = new LinesSession(this.program, this.program.next());
    await this.ask({ do: "agent", agent: agent.number });
    return agent;
  }

  async close() {
    if (this.program.runs) await this.ask({ do: "close" });
  }
}
