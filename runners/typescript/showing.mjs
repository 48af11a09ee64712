// Find the lines that the contract's answers show and that a session was not shown.
import { reads } from "./compare.mjs";
import { Content, cutLeft, cutRight } from "./content.mjs";
import { isAlnum } from "./forms.mjs";
import { cellsOf, sourceOf } from "./notebook.mjs";
import { shownLines } from "./shown.mjs";

const NOTHING = Buffer.alloc(0);

/**
 * Yields answers of a step that show fewer lines than the contract's answers, and lines of reminders that are not
 * `known`.
 */
export function* unseen(step, calls, before, after, known) {
  const expected = step.kind === "call" ? [step] : step.calls;
  const seen = (path) => {
    const [file, entry] = [known.get(path), after.get(path)];
    return file && entry?.type === "file" && file.data.equals(entry.data) ? file.lines.map((line) => line.seen) : [];
  };
  for (const [index, call] of calls.entries()) {
    if (call.result.refused) continue;
    const { shows = {}, shows_cells: showsCells = {} } = expected[index].expect;
    const answers = [call.result.text, ...call.result.reminders];
    const dataOf = (path) => (reads(call.tool) ? before : after).get(path)?.data ?? NOTHING;
    for (const [path, rows] of Object.entries(shows)) {
      const { lines } = Content.of(dataOf(path));
      const own = reads(call.tool) || call.tool === "Bash";
      yield* missing(path, rows, own ? any(answers.map((answer) => shownLines(lines, answer))) : seen(path));
    }
    for (const [path, rows] of Object.entries(showsCells)) {
      const sources = (cellsOf(dataOf(path)) ?? []).map(sourceOf);
      yield* missing(path, rows, any(answers.map((answer) => shownCells(sources, answer))));
    }
  }
  for (const [path, rows] of Object.entries(step.expect.reminders_show ?? {})) yield* missing(path, rows, seen(path));
}

const any = ([first, ...others]) => first.map((shown, index) => shown || others.some((other) => other[index]));

function* missing(path, rows, shown) {
  for (const [first, last] of rows) {
    for (let number = first; number <= last; number++) {
      if (shown[number - 1]) continue;
      yield `${path}: ${number} is not shown`;
      return;
    }
  }
}

/**
 * Returns, for each cell, whether an answer contains all lines of its source, after the lines of the cells before. Tags
 * do not count. A line may be written as in JSON, and must not be a part of a longer word. A cell without text counts
 * as shown.
 */
export function shownCells(sources, answer) {
  answer = answer.replace(/<\/?[A-Za-z_][^<>\n]*>/g, "\n");
  let last = 0;
  return sources.map((source) => {
    let at = last;
    for (const line of source.split("\n").map((each) => cutLeft(cutRight(each)))) {
      if (line === "") continue;
      const quoted = JSON.stringify(line).slice(1, -1);
      const ascii = quoted.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
      const ends = [line, quoted, ascii].map((form) => endOf(form, answer, at)).filter((end) => end !== undefined);
      if (ends.length === 0) return false;
      at = Math.min(...ends);
    }
    last = at;
    return true;
  });
}

/**
 * Returns the end of the first occurrence of a text from a position on that is not a part of a longer word. Undefined
 * if there is none. In JSON, the letter before the text may belong to an escape.
 */
function endOf(text, answer, at) {
  const [isAtWord, isToWord] = [isAlnum(text), isAlnum([...text].at(-1))];
  for (let start = answer.indexOf(text, at); start >= 0; start = answer.indexOf(text, start + 1)) {
    const end = start + text.length;
    const begins = !isAtWord || !/[\p{L}\p{N}_]$/u.test(answer.slice(Math.max(start - 2, 0), start)) || /\\[nrt]$/.test(answer.slice(Math.max(start - 2, 0), start));
    if (begins && !(isToWord && /^[\p{L}\p{N}_]/u.test(answer.slice(end, end + 2)))) return end;
  }
  return undefined;
}
