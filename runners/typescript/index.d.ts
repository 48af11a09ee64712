/**
 * The answer of one call, as the model sees it. `error` is a name of the header's `errors`, if the implementation knows
 * it.
 */
export interface Result {
  text: string;
  refused: boolean;
  error?: string | null;
  reminders?: string[];
}

export interface Request {
  tool: string;
  arguments: Record<string, unknown>;
}

export interface Hook {
  event: "PreToolUse" | "PostToolUse";
  matcher: string;
  command: string;
}

export interface Opening {
  root: string;
  home: string;
  needs: string[];
  deny: string[];
  hooks: Hook[];
  permissions: null | { mode: string; directory: string; allow: string[]; additional: string[] };
}

type Awaitable<T> = T | Promise<T>;

/**
 * One conversation. A method may be missing if the implementation does not declare its capability. A method that throws
 * means that the implementation broke.
 */
export interface Session {
  call(request: Request): Awaitable<Result>;
  /**
   * Capability `during`: await `interfere` once, between validation and execution. If the validation refuses the call,
   * do not call it.
   */
  callDuring?(request: Request, interfere: () => Promise<void>): Awaitable<Result>;
  /**
   * Capabilities `cancel` and `cut`. "cancelled": await `interfere` once after the validation, then cancel the call.
   * "cut", "limit": `arguments` is the beginning of a JSON text.
   */
  callInterrupted?(
    request: Request | { tool: string; arguments: string },
    how: "cancelled" | "cut" | "limit",
    interfere: () => Promise<void>,
  ): Awaitable<Result>;
  /** Capability `parallel`. */
  callParallel?(requests: Request[]): Awaitable<Result[]>;
  /** Capabilities `resume`, `compact`, `rewind` and `mentions` (with the event `mention`). */
  happen?(event: "resume" | "compact" | "rewind" | "mention", path?: string): Awaitable<void>;
  /** Capability `agents`. */
  subAgent?(): Awaitable<Session>;
  close?(): Awaitable<void>;
}

export interface Implementation {
  capabilities: string[];
  open(opening: Opening): Awaitable<Session>;
}

export type Level = "safe" | "effects" | "reason" | "text";

export interface Verdict {
  scenario: string;
  status: "judged" | "error" | "unsupported";
  reason?: string;
  /** The levels that hold. */
  levels: Level[];
  differences: { step: number; level: Level; what: string }[];
}

export interface Suite {
  contract: string;
  scenarios: { id: string; title: string; needs: string[] }[];
}

/** Reads an export, which may be compressed. */
export function load(path: string): Suite;

/** A program that speaks the protocol of docs/protocol.md. `limit` is the time limit per call, in milliseconds. */
export class Lines implements Implementation {
  constructor(command: string[], limit?: number);
  capabilities: string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  open(opening: Opening): Promise<Session>;
}

/**
 * An MCP server over standard input and output: one process for each session, started in its workspace. In the words of
 * the command, `$WS` and `$HOME` are replaced by the directories of the session. `limit` is the time limit per call, in
 * milliseconds.
 */
export class Mcp implements Implementation {
  constructor(command: string[], limit?: number);
  capabilities: string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  open(opening: { root: string; home: string }): Promise<Session>;
}

export const LEVELS: Level[];

export function judge(suite: Suite, scenario: Suite["scenarios"][number], implementation: Implementation): Promise<Verdict>;

/**
 * Runs each scenario as a subtest of `context`, the context of a test of node:test, and prints a summary by rule and
 * class. Several implementations, or `concurrency` sessions of one implementation, run scenarios at the same time.
 */
export function run(
  context: { test(name: string, body: (context: never) => Promise<void>): Promise<void>; diagnostic?(line: string): void },
  suite: Suite,
  implementation: Implementation | Implementation[],
  options?: { level?: Level; baseline?: string; report?: (verdict: Verdict) => void; concurrency?: number },
): Promise<void>;
