/** What the model sees of one call; `error` is a name of the header's `errors`, where the implementation knows it. */
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

/** One conversation. A method that no capability needs may be left out. Whatever throws is broken. */
export interface Session {
  call(request: Request): Awaitable<Result>;
  /** Capability `during`: awaits `interfere` once, after validation and before execution; never, if refused before. */
  callDuring?(request: Request, interfere: () => Promise<void>): Awaitable<Result>;
  /**
   * Capabilities `cancel` and `cut`. "cancelled": awaits `interfere` once, after validation, and gives the call up. "cut" and
   * "limit": `arguments` is the beginning of a JSON text.
   */
  callInterrupted?(
    request: Request | { tool: string; arguments: string },
    how: "cancelled" | "cut" | "limit",
    interfere: () => Promise<void>,
  ): Awaitable<Result>;
  /** Capability `parallel`. */
  callParallel?(requests: Request[]): Awaitable<Result[]>;
  /** Capabilities `resume`, `compact`, `rewind` and `mentions`, whose event is `mention`. */
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

/** Reads an export, compressed or not. */
export function load(path: string): Suite;

/** A program that speaks the protocol of docs/protocol.md; `limit` is in milliseconds per call. */
export class Lines implements Implementation {
  constructor(command: string[], limit?: number);
  capabilities: string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  open(opening: Opening): Promise<Session>;
}

/**
 * An MCP server over standard input and output: a process for each session, started in its workspace. `$WS` and `$HOME` in words
 * of the command become the directories of the session; `limit` is in milliseconds per call.
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
 * Shows each scenario as a subtest of `context`, the context of a test of node:test, and a summary by rule and class. Several
 * implementations judge scenarios side by side, as do `concurrency` sessions of one that can have several at a time.
 */
export function run(
  context: { test(name: string, body: (context: never) => Promise<void>): Promise<void>; diagnostic?(line: string): void },
  suite: Suite,
  implementation: Implementation | Implementation[],
  options?: { level?: Level; baseline?: string; report?: (verdict: Verdict) => void; concurrency?: number },
): Promise<void>;
