// Runs an export (READFIRST_SUITE) against a program that speaks the protocol `lines` (READFIRST_LINES) or MCP (READFIRST_MCP).
//
//   READFIRST_SUITE=suite.jsonl.gz READFIRST_LINES=./my-tools node --test test/suite.test.mjs
//
// READFIRST_LEVEL and READFIRST_BASELINE are as for `readfirst run`; READFIRST_JOBS programs judge scenarios side by side;
// READFIRST_VERDICTS is a file for verdicts.
import { appendFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Lines, Mcp, load, run } from "../index.mjs";

const { READFIRST_SUITE: suite, READFIRST_LINES: lines, READFIRST_MCP: mcp, READFIRST_VERDICTS: verdicts } = process.env;
const { READFIRST_LEVEL: level = "text", READFIRST_BASELINE: baseline, READFIRST_JOBS: jobs = "1" } = process.env;
const command = (lines || mcp || "").split(" ");

test("suite", { skip: suite && (lines || mcp) ? false : "READFIRST_SUITE and READFIRST_LINES name no suite and no program" }, async (context) => {
  const programs = Array.from({ length: Number(jobs) }, () => (lines ? new Lines(command) : new Mcp(command)));
  await Promise.all(programs.map((program) => program.start()));
  if (verdicts) writeFileSync(verdicts, "");
  const report = verdicts && (({ differences, ...verdict }) => appendFileSync(verdicts, `${JSON.stringify(verdict)}\n`));
  try {
    await run(context, load(suite), programs, { level, baseline, report });
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
});
