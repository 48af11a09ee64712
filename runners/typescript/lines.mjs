// Lines: a program that speaks the protocol of docs/protocol.md.
import { LineProcess } from "./process.mjs";
import { printed } from "./suite.mjs";

export class Lines {
  #process;
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
    if (this.runs) return;
    this.#process = new LineProcess(this.command, this.limit);
    const hello = await this.ask({ do: "hello", protocol: 1 });
    if (hello.protocol !== 1) throw new Error(`the program speaks protocol ${printed(String(hello.protocol))}`);
    this.capabilities = hello.capabilities;
  }

  /** Ends the program. */
  async stop() {
    await this.#process?.stop();
  }

  get runs() {
    return this.#process?.runs ?? false;
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
    const program = this.#process;
    if (!this.runs) throw new Error("the program had already ended");
    program.send(message);
    const answer = await program.receive(message.do);
    if (answer?.id === message.id) return answer;
    throw program.kill(`answered another request: ${printed(JSON.stringify(answer).slice(0, 200))}`);
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
