// Numbered: lines of an answer behind their numbers, which must be those of the file's lines.
import { BLANK, cutRight, isBlank } from "./content.mjs";
import { isAlnum } from "./forms.mjs";

const WORDS = "lineno|number|lines?|row|num|ln|nr|no|id|l|n".replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
/** A number in front of a line: behind nothing but signs and words for it, or behind a path and before `:` or `-`. */
const NUMBER = new RegExp(
  `^(?:[^\\p{L}\\p{N}]{0,16}(?:(?:${WORDS})[^\\p{L}\\p{N}]{0,3}){0,2}|[^${BLANK}]{1,200}?[:-](?=[0-9]+[:-]))([0-9]{1,18})(?![\\p{L}\\p{N}])`,
  "u",
);
const [LONGEST_TAIL, LONGEST_DIGEST] = [12, 8];
/** Shifts that are looked at beside 0 and -1; lines with the same text from which on the text says nothing of the shift. */
const [MOST_SHIFTS, COMMON] = [4, 8];

/** Returns the number in front of a line, and where its digits end; undefined: there is none. */
export function numberIn(said) {
  const found = NUMBER.exec(said);
  return found ? { number: Number(found[1]), end: found[0].length } : undefined;
}

/**
 * Returns the lines of an answer that are lines of the file behind a number: `all`, and as `shown` those with the right
 * number; each by its index in the answer.
 *
 * A shift is what the number of a line is above its place in the file, counted from 1. Shifts whose lines are also explained
 * by another one that explains more are accidents. Of the others, 0 holds if it explains anything, else -1, else one whose
 * first line has the number 0 or 1. If none of these is there, the numbers are wrong: nothing is shown.
 */
export function numberedLines(texts, where, lines) {
  const found = asMostly(texts, lines);
  if (found) return { all: found, shown: found };
  const candidates = texts.flatMap((said, at) => candidatesIn(said, at, where));
  const numbers = new Map(candidates.map(({ at, number }) => [at, number]));
  const explained = shiftsOf(candidates).map((shift) => [shift, hitsOf(candidates, shift)]);
  let all = new Map();
  for (const [shift, hits] of explained) {
    const isAccident = explained.some(([, others]) => others.size > hits.size && [...hits.keys()].every((at) => others.has(at)));
    if (hits.size === 0 || isAccident) continue;
    if (shift === 0 || shift === -1 || numbers.get(Math.min(...hits.keys())) <= 1) return { all: hits, shown: hits };
    if (hits.size > all.size) all = hits;
  }
  return { all, shown: new Map() };
}

/** Returns 0, -1 and the most frequent of the other shifts. */
function shiftsOf(candidates) {
  const votes = new Map();
  for (const { number, indexes } of candidates) {
    if (indexes.length > COMMON) continue;
    for (const index of indexes) votes.set(number - 1 - index, (votes.get(number - 1 - index) ?? 0) + 1);
  }
  const frequent = [...votes].sort(([, one], [, other]) => other - one).slice(0, MOST_SHIFTS);
  return [...new Set([0, -1, ...frequent.map(([shift]) => shift)])];
}

/** Returns the numbered lines where all are what they say, behind one separator; undefined where a closer look is due. */
function asMostly(texts, lines) {
  const found = new Map();
  let separator = "";
  for (const [at, said] of texts.entries()) {
    const numbered = numberIn(said);
    if (!numbered) continue;
    const { number, end } = numbered;
    if (number < 1 || number > lines.length) return undefined;
    const line = cutRight(lines[number - 1]);
    if (line === "") continue;
    const tail = said.slice(end, Math.max(said.length - line.length, end));
    if (!said.endsWith(line) || tail === "" || (separator || tail) !== tail) return undefined;
    separator = tail;
    found.set(at, number - 1);
  }
  return ["\t", "→", ": ", "|", ":", "| "].includes(separator) ? found : undefined;
}

/** Returns how a line of an answer may be lines of the file (`indexes`) behind a label that ends at `cut`. */
function candidatesIn(said, at, where) {
  const numbered = numberIn(said);
  if (!numbered) return [];
  const { number, end } = numbered;
  const words = said.slice(0, end).replace(/\P{L}/gu, "");
  return endsOfLabel(said, end)
    .filter(([cut]) => where.has(said.slice(cut)))
    .map(([cut, hasDigest]) => {
      const label = said.slice(end, cut);
      const blank = label.slice(cutRight(label).length);
      const kind = words + (hasDigest ? "#" : "") + (blank === label ? " " : "");
      return { at, number, kind, blank, cut, indexes: where.get(said.slice(cut)) };
    });
}

/**
 * Returns where a label may end whose number ends at `end`, and whether it then has a digest. Signs and spaces may follow the
 * number; one word among them, a digest, has signs on both sides. A tab ends it.
 */
function endsOfLabel(said, end) {
  const ends = [];
  let [cut, digest, former] = [end, 0, ""];
  for (const sign of [...said.slice(end, end + 2 * LONGEST_TAIL)].slice(0, LONGEST_TAIL)) {
    cut += sign.length;
    if (cut >= said.length) break;
    const inDigest = isAlnum(former);
    if (isAlnum(sign)) {
      digest++;
      if (digest > LONGEST_DIGEST || (former !== "" && isBlank(former)) || (digest > 1 && !inDigest)) break;
    } else {
      if ((inDigest && isBlank(sign)) || former === "\t") break;
      ends.push([cut, digest > 0]);
    }
    former = sign;
  }
  return ends;
}

/**
 * Returns the lines that a shift explains, behind labels of one kind. All labels have the same blanks at their end, or the
 * same width. More than one blank behind a sign is too much for a line alone.
 */
function hitsOf(candidates, shift) {
  const groups = new Map();
  for (const { at, number, kind, blank, cut, indexes } of candidates) {
    const index = number - 1 - shift;
    if (!indexes.includes(index)) continue;
    const few = kind.endsWith(" ") || [...blank].length < 2;
    for (const [key, sure] of [[`${kind}\0${blank}`, few], [`${kind}\0\0${cut}`, kind.endsWith(" ")]]) {
      if (!groups.has(key)) groups.set(key, { sure, hits: new Map() });
      groups.get(key).hits.set(at, index);
    }
  }
  let best = new Map();
  for (const { sure, hits } of groups.values()) if ((sure || hits.size > 1) && hits.size > best.size) best = hits;
  return best;
}
