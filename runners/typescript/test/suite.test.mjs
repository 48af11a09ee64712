// Runs an export (READFIRST_SUITE) against a program that speaks the protocol `lines` (READFIRST_LINES).
//
//   READFIRST_SUITE=suite.jsonl.gz READFIRST_LINES=./my-tools node --test test/suite.test.mjs
//
// READFIRST_LEVEL and READFIRST_BASELINE are as for `readfirst run`; READFIRST_VERDICTS is a file for verdicts.
import { appendFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Lines, load, run } from "../index.mjs";

const { READFIRST_SUITE: suite, READFIRST_LINES: command, READFIRST_VERDICTS: verdicts } = process.env;
const { READFIRST_LEVEL: level = "text", READFIRST_BASELINE: baseline } = process.env;

test("suite", { skip: suite && command ? false : "READFIRST_SUITE and READFIRST_LINES name no suite and no program" }, async (context) => {
  const program = new Lines(command.split(" "));
  await program.start();
  if (verdicts) writeFileSync(verdicts, "");
  const report = verdicts && (({ differences, ...verdict }) => appendFileSync(verdicts, `${JSON.stringify(verdict)}\n`));
  try {
    await run(context, load(suite), program, { level, baseline, report });
  } finally {
    await program.stop();
  }
});
