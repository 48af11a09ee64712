// Writes what is judged by itself of each line of a file (READFIRST_JUDGED), without a session: which lines of a file, or
// cells, an answer shows, what answered calls harm, or where a command leads.
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Content } from "../content.mjs";
import { directories } from "../directory.mjs";
import { made } from "../edited.mjs";
import { Known } from "../known.mjs";
import { shownLines } from "../shown.mjs";
import { shownCells } from "../showing.mjs";

const { READFIRST_JUDGED: judged, READFIRST_VERDICTS: verdicts } = process.env;
const bytes = (text) => (typeof text === "string" ? Buffer.from(text, "base64") : undefined);

function verdict({ what, answer, command, data, first, before, after, sources, calls }) {
  if (what === "lines") return shownLines(Content.of(bytes(data)).lines, answer);
  if (what === "cells") return shownCells(sources, answer);
  if (what === "directories") return directories(command);
  const state = (text) => new Map(typeof text === "string" ? [["a", { type: "file", data: bytes(text) }]] : []);
  const known = new Known(bytes(first));
  if (answer) known.show(answer, true);
  if (typeof before === "string" && before !== first) known.put("other", bytes(before));
  const chain = calls.map(({ tool, arguments: given }, number) => ({ number, tool, given }));
  return made("a", chain, [], known, state(before), state(after)).map(({ number, kind }) => [number, kind]);
}

test("judged", { skip: judged ? false : "READFIRST_JUDGED names no file" }, () => {
  const told = readFileSync(judged, "utf8").trimEnd().split("\n").map((each) => JSON.stringify(verdict(JSON.parse(each))));
  writeFileSync(verdicts, told.map((each) => `${each}\n`).join(""));
});
