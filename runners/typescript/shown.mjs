// Find the lines of a file that an answer contains, in any form that a person can read.
import { BLANK, cutRight, isBlank } from "./content.mjs";
import { formsOfLine, isAlnum, isASCII, MARK, readingsOf } from "./forms.mjs";
import { numberedLines, numberIn } from "./numbered.mjs";

/** Matches a short word that may be a digest, and the beginning of its separator. */
const DIGEST = new RegExp(`^[^\\p{L}\\p{N}_${BLANK}]?([\\p{L}\\p{N}]{1,8})([^\\p{L}\\p{N}])`, "u");
/** Matches a word that may be a number with letters before it. */
const COUNTED = /^([\p{L}\p{Nl}\p{No}]*)[0-9]+$/u;
/** Separators of a digest and a text: one of these characters, two of them, or one and a space. */
const SEPARATORS = "|│┃:#→>\t-";
/** A byte order mark before the first line, as `cat -A` prints it. */
const MARK_OF_CAT = "M-oM-;M-?";
const LONGEST_LABEL = 12;

/**
 * Returns, for each line of a file, whether an answer contains the whole line. A blank line counts as shown; whitespace
 * at the end of a line does not matter.
 */
export function shownLines(lines, answer) {
  const shown = lines.map(isBlank);
  if (!shown.includes(false)) return shown;
  const where = placesOf(lines);
  const explained = new Set();
  for (const answered of readingsOf(answer, explained)) {
    for (const [at, index] of matched(answered, where, lines)) {
      explained.add(answered[at]);
      if (index !== undefined) shown[index] = true;
    }
    if (!shown.includes(false)) break;
  }
  return shown;
}

/** Maps each text that represents a line, without whitespace at the end, to the indexes of such lines. */
function placesOf(lines) {
  const where = new Map();
  const add = (text, index) => (where.has(text) ? where.get(text).push(index) : where.set(text, [index]));
  lines.forEach((line, index) => {
    const text = cutRight(line);
    if (text === "") return;
    add(text, index);
    const begun = index > 0 ? [] : isASCII(line) ? [text] : new Set([text, ...formsOfLine(line)]);
    for (const form of begun) add(MARK_OF_CAT + form, 0);
    if (/[^ -~]/.test(line)) for (const form of formsOfLine(line)) if (form !== text && form !== "") add(form, index);
  });
  return where;
}

/**
 * Returns, for each line of one reading of an answer, the line of the file that it shows. Undefined if its number is
 * wrong. Lines are read with their numbers or without, whichever explains more lines.
 */
function matched(answered, where, lines) {
  const texts = answered.map((said) => cutRight(said.replaceAll(MARK, "")));
  const { all, shown } = numberedLines(texts, where, lines);
  const numbered = new Map([...all.keys()].map((at) => [at, shown.get(at)]));
  const plain = unnumbered(texts, where, all.size);
  return new Map(plain.size >= numbered.size ? [...numbered, ...plain] : [...plain, ...numbered]);
}

/**
 * Returns the lines of an answer that are lines of the file: unchanged, or all after one kind of label. A kind of label
 * counts if it explains more lines than other kinds, and more than have a number.
 */
function unnumbered(texts, where, numbered) {
  let cuts = new Map([...texts.entries()].filter(([, said]) => where.has(said)).map(([at]) => [at, 0]));
  let least = Math.max(cuts.size, numbered);
  if (texts.length - cuts.size > least) {
    for (const found of labelled(texts, where, cuts)) if (found.size > least) [cuts, least] = [found, found.size];
  }
  const hits = new Map();
  let last = -1;
  for (const [at, cut] of [...cuts].sort(([one], [other]) => one - other)) {
    const indexes = where.get(texts[at].slice(cut));
    last = indexes[firstFrom(indexes, last + 1)] ?? indexes[0];
    hits.set(at, last);
  }
  return hits;
}

/** Returns the index of the first number of a sorted list that is not less than a number. */
function firstFrom(list, least) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Yields, for each kind of label, the lines with this label, and the end of the label in each line. */
function* labelled(texts, where, exact) {
  const [labels, digests] = [new Map(), new Map()];
  const put = (groups, name, at, cut) => groups.set(name, (groups.get(name) ?? new Map()).set(at, cut));
  texts.forEach((said, at) => {
    if (exact.has(at) || said === "") return;
    for (const cut of endsOfLabel(said)) if (where.has(said.slice(cut))) put(labels, said.slice(0, cut), at, cut);
    for (const [start, cut] of endsOfDigest(said)) if (where.has(said.slice(cut))) put(digests, said.slice(start, cut), at, cut);
  });
  if (texts.some((said) => /^(?:\+|-|@@)/.test(said))) {
    // The added and the unchanged lines of a diff.
    labels.set("+", new Map([...(labels.get(" ") ?? []), ...(labels.get("+") ?? [])]));
    labels.delete(" ");
    labels.delete("-");
  }
  for (const [label, found] of labels) {
    // A single line, or one of several, may have a different indentation.
    if (!isBlank(label) || (found.size > 1 && [...exact.keys()].every((at) => texts[at].startsWith(label)))) yield found;
  }
  for (const found of digests.values()) if (areDigests([...found.keys()].map((at) => texts[at]))) yield found;
}

/** Yields the possible ends of a label without letters and digits. */
function* endsOfLabel(said) {
  let cut = 0;
  for (const sign of [...said.slice(0, 2 * LONGEST_LABEL)].slice(0, LONGEST_LABEL)) {
    cut += sign.length;
    if (cut >= said.length || isAlnum(sign)) return;
    yield cut;
  }
}

/** Yields the start and end of the separator after a short word. */
function* endsOfDigest(said) {
  const word = DIGEST.exec(said);
  if (!word || !SEPARATORS.includes(word[2])) return;
  const cut = word[0].length;
  const [second = ""] = said.slice(cut);
  for (const end of [cut, cut + second.length]) {
    const more = said.slice(cut, end);
    if (end < said.length && (more === " " || SEPARATORS.includes(more))) yield [cut - word[2].length, end];
  }
}

/**
 * Returns whether the words before the lines are digests: of equal length, not numbers, and with the same letters at
 * their beginning.
 */
function areDigests(texts) {
  const words = texts.map((text) => DIGEST.exec(text)[1]);
  if (words.length === 1) return [...words[0]].length <= 4 && !numberIn(texts[0]);
  const counted = words.map((word) => COUNTED.exec(word));
  const areNumbers = counted.every(Boolean) && new Set(counted.map(([, letters]) => letters)).size === 1;
  return !areNumbers && new Set(words.map((word) => [...word].length)).size === 1;
}
