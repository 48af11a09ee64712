// Shown: which lines of a file an answer contains, in any form that a person can read.
import { BLANK, cutRight, isBlank } from "./content.mjs";
import { formsOfLine, isAlnum, isASCII, MARK, readingsOf } from "./forms.mjs";
import { numberedLines, numberIn } from "./numbered.mjs";

/** A short word that may be a digest, and the beginning of what separates it from the text. */
const DIGEST = new RegExp(`^[^\\p{L}\\p{N}_${BLANK}]?([\\p{L}\\p{N}]{1,8})([^\\p{L}\\p{N}])`, "u");
/** A word that may be a number with letters before it. */
const COUNTED = /^([\p{L}\p{Nl}\p{No}]*)[0-9]+$/u;
/** What may separate a digest from the text: one of these, two of them, or one with a space behind it. */
const SEPARATORS = "|│┃:#→>\t-";
/** A byte order mark in front of the first line, as `cat -A` writes it. */
const MARK_OF_CAT = "M-oM-;M-?";
const LONGEST_LABEL = 12;

/** Tells for each line of a file whether an answer contains it in full; a blank one counts as shown, and whitespace at its end does not matter. */
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

/** Returns the indexes of the lines by all texts that show them, without whitespace at the end. */
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
 * Returns for lines of one reading of an answer which line of the file each shows; undefined: its number is wrong. Each is
 * taken with its number or without, by that which explains more of them.
 */
function matched(answered, where, lines) {
  const texts = answered.map((said) => cutRight(said.replaceAll(MARK, "")));
  const { all, shown } = numberedLines(texts, where, lines);
  const numbered = new Map([...all.keys()].map((at) => [at, shown.get(at)]));
  const plain = unnumbered(texts, where, all.size);
  return new Map(plain.size >= numbered.size ? [...numbered, ...plain] : [...plain, ...numbered]);
}

/**
 * Returns the lines of an answer that are lines of the file: as they are, or all after one kind of label. A kind of label
 * counts if it explains more lines than others do, and than have a number.
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

/** Yields for each kind of label the lines that have it, and where it ends in each. */
function* labelled(texts, where, exact) {
  const [labels, digests] = [new Map(), new Map()];
  const put = (groups, name, at, cut) => groups.set(name, (groups.get(name) ?? new Map()).set(at, cut));
  texts.forEach((said, at) => {
    if (exact.has(at) || said === "") return;
    for (const cut of endsOfLabel(said)) if (where.has(said.slice(cut))) put(labels, said.slice(0, cut), at, cut);
    for (const [start, cut] of endsOfDigest(said)) if (where.has(said.slice(cut))) put(digests, said.slice(start, cut), at, cut);
  });
  if (texts.some((said) => /^(?:\+|-|@@)/.test(said))) {
    // A difference, with what stays.
    labels.set("+", new Map([...(labels.get(" ") ?? []), ...(labels.get("+") ?? [])]));
    labels.delete(" ");
    labels.delete("-");
  }
  for (const [label, found] of labels) {
    // A line alone, or one among others, may have been indented otherwise.
    if (!isBlank(label) || (found.size > 1 && [...exact.keys()].every((at) => texts[at].startsWith(label)))) yield found;
  }
  for (const found of digests.values()) if (areDigests([...found.keys()].map((at) => texts[at]))) yield found;
}

/** Yields where a label without letters and digits may end. */
function* endsOfLabel(said) {
  let cut = 0;
  for (const sign of [...said.slice(0, 2 * LONGEST_LABEL)].slice(0, LONGEST_LABEL)) {
    cut += sign.length;
    if (cut >= said.length || isAlnum(sign)) return;
    yield cut;
  }
}

/** Yields where the separator behind a short word begins and ends. */
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

/** Tells whether the words in front are digests: of one length, and not numbers, with the same letters before them. */
function areDigests(texts) {
  const words = texts.map((text) => DIGEST.exec(text)[1]);
  if (words.length === 1) return [...words[0]].length <= 4 && !numberIn(texts[0]);
  const counted = words.map((word) => COUNTED.exec(word));
  const areNumbers = counted.every(Boolean) && new Set(counted.map(([, letters]) => letters)).size === 1;
  return !areNumbers && new Set(words.map((word) => [...word].length)).size === 1;
}
