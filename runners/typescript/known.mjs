// Known: who put each line of a file there, and which lines a session has been shown.
import { BLANK, Content, cutLeft, cutRight, isBlank } from "./content.mjs";

const MOST_COMPARED = 2000;
const MARK = "\ufeff";
/** What a tool puts in front of a line: its number, perhaps a short digest, and a separator. */
const NUMBER = new RegExp(`^[${BLANK}]*[A-Za-z#]{0,5}[${BLANK}]?([0-9]+)(?:[:#][0-9A-Za-z]{1,8})?[${BLANK}]?[^\\p{L}\\p{N}_${BLANK}]?[${BLANK}]?`, "u");
/** What a tool may put in front of the first line, on the same line: a tag, or words and a colon. */
const HEADING = /^(?:<[A-Za-z_-]+>|[A-Z][A-Za-z ]{0,40}: )/;

const linesOf = (data) => Content.of(data).lines;

/** What a session knows of a file: its bytes, and for each line the `hand` that put it there and whether it was `seen`. */
export class Known {
  constructor(data = Buffer.alloc(0)) {
    this.data = data;
    this.lines = linesOf(data).map((text) => ({ text, hand: "given", seen: false }));
  }

  /** Takes a change over; lines that stay keep what is known of them. */
  put(hand, data) {
    const lines = linesOf(data).map((text) => ({ text, hand, seen: hand === "session" }));
    carry(this.lines, lines);
    Object.assign(this, { data, lines });
  }

  /** Marks the lines that an answer contains in full. */
  show(answer) {
    if (this.lines.every((line) => line.seen)) return;
    const shown = shownLines(this.lines.map((line) => line.text), answer);
    this.lines = this.lines.map((line, index) => ({ ...line, seen: line.seen || shown[index] }));
  }

  showAll() {
    this.lines = this.lines.map((line) => ({ ...line, seen: true }));
  }

  /** Returns the unseen lines that bytes in the file's place leave out; blank ones are nobody's work, and one that ends otherwise is not lost. */
  lost(data) {
    if (data.equals(this.data)) return [];
    const left = new Map();
    for (const text of pieces(Content.of(data).text)) left.set(text, (left.get(text) ?? 0) + 1);
    return this.lines.filter((line) => {
      if (line.seen) return false;
      const wanted = new Map();
      for (const text of pieces(line.text)) if (!isBlank(text)) wanted.set(text, (wanted.get(text) ?? 0) + 1);
      const there = [...wanted].every(([text, count]) => (left.get(text) ?? 0) >= count);
      if (there) for (const [text, count] of wanted) left.set(text, left.get(text) - count);
      return !there;
    });
  }
}

/** Returns what is between line ends of any kind, also a lone CR. */
function pieces(text) {
  return text.split(/\r\n|\r|\n/);
}

function carry(old, fresh) {
  let start = 0;
  let [end, to] = [old.length, fresh.length];
  while (start < end && start < to && old[start].text === fresh[start].text) fresh[start] = old[start++];
  while (start < end && start < to && old[end - 1].text === fresh[to - 1].text) fresh[--to] = old[--end];
  if (end - start + to - start > MOST_COMPARED) {
    const last = new Map(old.slice(start, end).map((line) => [line.text, line]));
    for (let index = start; index < to; index++) fresh[index] = last.get(fresh[index].text) ?? fresh[index];
  } else {
    carryLongest(old, fresh, start, end, start, to);
  }
}

/** Matches the longest stretch of equal lines, of several the first, then what is before and after it. */
function carryLongest(old, fresh, start, end, from, to) {
  let [best, atOld, atFresh] = [0, 0, 0];
  let above = [];
  for (let i = start; i < end; i++) {
    const row = [];
    for (let j = from; j < to; j++) {
      if (old[i].text !== fresh[j].text) continue;
      row[j + 1] = (above[j] ?? 0) + 1;
      if (row[j + 1] > best) [best, atOld, atFresh] = [row[j + 1], i + 1 - row[j + 1], j + 1 - row[j + 1]];
    }
    above = row;
  }
  if (best === 0) return;
  const [behindOld, behindFresh] = [atOld + best, atFresh + best];
  const texts = old.slice(atOld, behindOld);
  carryLongest(old, fresh, start, atOld, from, atFresh);
  carryLongest(old, fresh, behindOld, end, behindFresh, to);
  texts.forEach((line, index) => (fresh[atFresh + index] = line));
}

/** Returns the number in front of a line of an answer, and what the line of the file may be, the likeliest first. */
function readings(line) {
  const plain = [line, cutRight(line), line.replace(/^\ufeff/, "")];
  const found = NUMBER.exec(line);
  if (!found) return { texts: plain };
  const end = found[0].search(/[0-9]/) + found[1].length;
  const body = line.slice(found[0].length);
  const rest = line.slice(end);
  const after = rest.slice(rest.codePointAt(0) > 0xffff ? 2 : 1);
  const unmarked = (text) => (text.startsWith(MARK) ? text.slice(1) : text);
  const number = Number(found[1].slice(0, 18));
  return { number, texts: [body, unmarked(body), after, unmarked(after), rest, cutLeft(rest), ...plain] };
}

/** Tells for each line of a file whether an answer contains it in full; a blank one counts as shown. */
export function shownLines(lines, answer) {
  const said = [...answer.split("\n"), ...quoted(answer)].map((each) => each.replace(/\r$/, ""));
  const answered = said.map(readings);
  const wanted = new Set(answered.flatMap((each) => each.texts));
  const where = new Map();
  const add = (text, index) => (where.has(text) ? where.get(text).push(index) : where.set(text, [index]));
  lines.forEach((line, index) => {
    if (wanted.has(line)) return add(line, index);
    // Bytes that are no text are one mark each in an answer.
    const visible = asShown(line);
    for (const text of new Set([visible, cutRight(visible)])) add(text, index);
  });
  const shown = lines.map(isBlank);
  let last = -1;
  for (const each of answered) {
    const which = whichLine(each, where, last);
    if (which !== undefined) shown[(last = which)] = true;
  }
  if (lines.length && !shown[0]) shown[0] = said.some((each) => begins(lines[0], each));
  return shown;
}

/** Tells whether a line of an answer is a heading and the first line of the file. */
function begins(first, line) {
  const heading = HEADING.exec(line);
  if (!heading) return false;
  const { number = 0, texts } = readings(line.slice(heading[0].length));
  const visible = asShown(first);
  return (number > 1 ? texts.slice(-3) : texts).some((text) => [first, visible, cutRight(visible)].includes(text));
}

function asShown(line) {
  if (!/\p{Cs}/u.test(line)) return line.replace(/\r$/, "");
  const whole = line.replace(/[\ud800-\udc7f\udd00-\udfff]/gu, "\ufffd");
  return new Content(Buffer.alloc(0), "utf8", "").data(whole).toString("utf8").replace(/\r$/, "");
}

/** Returns which line is shown: by its number, else the next after the last; undefined where it is no line of the file. */
function whichLine({ number, texts }, where, last) {
  const found = texts.map((text) => where.get(text)).filter((each) => each !== undefined);
  if (found.length === 0) return undefined;
  if (number !== undefined) {
    for (const index of [number - 1, number]) if (found.some((each) => each[firstFrom(each, index)] === index)) return index;
  }
  return found[0][firstFrom(found[0], last + 1)] ?? found[0][0];
}

/** Returns where the first number of a sorted list is that is not less than another. */
function firstFrom(list, least) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the lines of all strings in an answer that is JSON. */
function quoted(answer) {
  if (!/^[{["]/.test(cutLeft(answer))) return [];
  const found = [];
  const collect = (value) => {
    if (typeof value === "string") found.push(...value.split("\n"));
    else if (value !== null && typeof value === "object") Object.values(value).forEach(collect);
  };
  try {
    collect(JSON.parse(answer));
  } catch {
    return [];
  }
  return found;
}
