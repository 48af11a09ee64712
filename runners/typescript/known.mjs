// Record the author of each line of a file, and the lines that a session has seen.
import { Content, isBlank } from "./content.mjs";
import { shownLines } from "./shown.mjs";

const [MOST_COMPARED, MOST_FORMER] = [2000, 8];

const linesOf = (data) => Content.of(data).lines;

/**
 * A session's knowledge of a file: its bytes, and for each line its author (`hand`) and whether it was `seen`. `met`:
 * the session was shown a part of the file, or wrote the file. `former` contains earlier contents, the latest first.
 * `others`: another program changed the file. `expected` is the content, with its lines, before changes by other
 * programs.
 */
export class Known {
  constructor(data = Buffer.alloc(0)) {
    const lines = linesOf(data).map((text) => ({ text, hand: "given", seen: false }));
    Object.assign(this, { data, lines, met: false, former: [], others: false });
  }

  /**
   * Takes a change over; lines that stay keep what is known of them. If other programs restore the content that the
   * session expects, its seen lines are seen again.
   */
  put(hand, data) {
    const lines = linesOf(data).map((text) => ({ text, hand, seen: hand === "session" }));
    carry(this.lines, lines);
    const expected = hand === "session" ? undefined : (this.expected ?? { data: this.data, lines: this.lines });
    if (expected?.data.equals(data)) expected.lines.forEach(({ seen }, index) => (lines[index].seen ||= seen));
    const former = [this.data, ...this.former.filter((each) => !each.equals(this.data))].slice(0, MOST_FORMER);
    Object.assign(this, { data, lines, former, expected, met: this.met || hand === "session", others: this.others || hand !== "session" });
  }

  /** Marks the lines that an answer contains in full; `surely`: it is that of a Read of the file. */
  show(answer, surely) {
    this.met ||= surely;
    if (surely) this.expected = undefined;
    if (this.lines.every((line) => line.seen)) return;
    const shown = shownLines(this.lines.map((line) => line.text), answer);
    this.met ||= this.lines.some((line, index) => shown[index] && !line.seen);
    this.lines = this.lines.map((line, index) => ({ ...line, seen: line.seen || shown[index] }));
  }

  showAll() {
    this.met = true;
    this.expected = undefined;
    this.lines = this.lines.map((line) => ({ ...line, seen: true }));
  }

  /** Leaves those lines alone seen that the session wrote. */
  forget() {
    this.lines = this.lines.map((line) => ({ ...line, seen: line.seen && line.hand === "session" }));
    this.met = this.lines.some((line) => line.seen);
    this.expected = undefined;
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
export function pieces(text) {
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
