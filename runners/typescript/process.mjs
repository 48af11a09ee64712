// A program that reads and writes JSON messages, one per line.
import { spawn } from "node:child_process";
import { printed } from "./suite.mjs";

export class LineProcess {
  #process;
  #part = "";
  #lines = [];
  #expecting;
  #printed = "";
  #ended;

  /** `limit` is the time limit per answer, in milliseconds; `options` are those of `spawn`. */
  constructor(command, limit, options = {}) {
    this.limit = limit;
    const started = (this.#process = spawn(command[0], command.slice(1), { ...options, stdio: ["pipe", "pipe", "pipe"] }));
    started.stdout.setEncoding("utf8").on("data", (data) => {
      const lines = (this.#part + data).split("\n");
      this.#part = lines.pop();
      this.#lines.push(...lines);
      this.#wake();
    });
    started.stderr.setEncoding("utf8").on("data", (data) => (this.#printed = (this.#printed + data).slice(-1024)));
    started.stdin.on("error", () => {});
    const ended = (why) => {
      this.#ended ??= why;
      this.#wake();
    };
    started.on("error", (error) => ended(error.message));
    started.on("close", (code, signal) => ended(`ended with ${code ?? signal}`));
  }

  get runs() {
    return this.#ended === undefined;
  }

  send(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Returns the next message. Kills the program if it writes no message in time, or anything else. */
  async receive(what) {
    const late = setTimeout(() => this.kill(`${what} took longer than ${this.limit / 1000} s`), this.limit);
    try {
      while (this.#lines.length === 0) {
        if (!this.runs) throw new Error(`the program ${this.#ended}\n${printed(this.#printed)}`);
        await new Promise((resolve) => (this.#expecting = resolve));
      }
    } finally {
      clearTimeout(late);
    }
    const line = this.#lines.shift();
    try {
      return JSON.parse(line);
    } catch {
      throw this.kill(`wrote something that is not an answer: ${printed(line.slice(0, 200))}`);
    }
  }

  /** Kills the program, and returns an error with the reason. */
  kill(why) {
    this.#ended ??= why;
    this.#process.kill("SIGKILL");
    this.#wake();
    return new Error(`the program ${why}`);
  }

  /** Closes the input of the program, and kills the program if it runs for another second. */
  async stop() {
    if (!this.runs) return;
    const gone = new Promise((resolve) => this.#process.once("close", resolve));
    this.#process.stdin.end();
    const late = setTimeout(() => this.#process.kill("SIGKILL"), 1000);
    await gone;
    clearTimeout(late);
  }

  #wake() {
    this.#expecting?.();
    this.#expecting = undefined;
  }
}
