// :Read the lines of a file in the forms in which answers show them.
import { BLANK, Content, cutLeft, cutRight, isBlank } from "./content.mjs";

/** A byte order mark, which some tools show before the first line. */
export const MARK = "\ufeff";
const COLOUR = /\x1b\[[0-9;]*[A-Za-z]/g;
const ENTITY = /&(?:(lt|gt|amp|quot|apos|nbsp)|#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6}));/g;
const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: "\u00a0" };
/** Matches words and a colon before the first shown line. */
const HEADING = /^[A-Z][A-Za-z ]{0,40}: /;
const OPENING = new RegExp(`[${BLANK}]*<[A-Za-z_][A-Za-z_-]*>`, "gu");
const CLOSING = /<\/[A-Za-z_][A-Za-z0-9_-]*>$/;
const BYTES = /(?:\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2})+/g;
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([0-7]{3})|([^\n]))/gu;
const SHORT = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", e: "\x1b", 0: "\0" };
const VISIBLE = { "·": " ", "␣": " ", "␠": " ", "␉": "\t", "⇥": "\t" };
const CELL_ENDS = ["|", "│", "┃", "║"];
const QUOTES = ["'", '"', "`"];
const PREFIXES = "bBrRuUfF";
const BESIDE_STRINGS = /^(?:[^\p{L}\p{Nl}\p{No}]|[bBrRuUfF])*$/u;
const HALF = /[\ud800-\udc7f\udd00-\udfff]/gu;

/** Functions that read a line of an answer in one form, each with the signs of which the line must contain one. */
const READERS = [
  [["<"], (said) => [replaceEntities(said.replace(OPENING, "").replace(CLOSING, ""))]],
  [[": "], withoutHeading],
  [["&"], (said) => [replaceEntities(said)]],
  [QUOTES, (said) => unquoted(said, true)],
  [QUOTES, (said) => unquoted(said, false)],
  [["\\"], (said) => splitLines(unescaped(said))],
  [CELL_ENDS, withoutFrame],
  [["$"], (said) => [said.replace(/\$$/, "")]],
  [["^M$"], (said) => [said.replace(/\^M\$$/, "")]],
];

/**
 * Yields the lines of an answer, read in one form after the other, the most probable first. A line that is already
 * `explained` is not read in further forms.
 */
export function* readingsOf(answer, explained) {
  answer = answer.replaceAll(MARK, "");
  let plain = splitLines(answer);
  yield plain;
  const strings = stringsOfJSON(answer);
  if (strings.length > 0) {
    yield strings;
    return;
  }
  if (answer.includes("\x1b[")) {
    yield plain.flatMap(withoutHeading);
    plain = plain.map((said) => said.replace(COLOUR, ""));
    yield plain;
  }
  for (const [signs, read] of READERS) {
    const isLeft = (said) => !explained.has(said) && !isBlank(said);
    const left = plain.filter(isLeft);
    if (left.length === 0) return;
    if (left.some((said) => signs.some((sign) => said.includes(sign)))) yield plain.flatMap((said) => (isLeft(said) ? read(said) : [said]));
  }
  if (!isASCII(answer)) yield plain.map((said) => said.replace(/[↵¶␊␍⏎↩]+$/, "").replace(/[·␣␠␉⇥]/g, (sign) => VISIBLE[sign]));
}

export const isASCII = (text) => !/[^\0-\x7f]/.test(text);
export const isAlnum = (sign) => /^[\p{L}\p{N}]/u.test(sign);
const splitLines = (text) => text.split("\n").map((line) => line.replace(/\r$/, ""));

/**
 * Returns the texts that represent a line, without whitespace at the end: as decoders convert invalid bytes, as `cat
 * -A` and `cat -v` print it, and with spaces or arrows instead of tabs.
 */
export function formsOfLine(line) {
  const plain = line.replaceAll(MARK, "");
  const shown = asShown(plain);
  const carets = [line, plain].flatMap((each) => [withCarets(each, ""), withCarets(each, "\t")]);
  const forms = [line, plain, shown, ...carets];
  if (plain.includes("\t")) {
    for (const each of ["  ", "    ", "        ", "→", "→   ", "^I", "␉", "»"]) forms.push(shown.replaceAll("\t", () => each));
    for (const size of [8, 4]) for (let width = 0; width < size; width++) forms.push(expandTabs(shown, width, size));
  }
  return new Set(forms.map(cutRight));
}

/** Returns a line as an answer can contain it: each invalid byte is one replacement character. */
function asShown(line) {
  if (!/\p{Cs}/u.test(line)) return line.replace(/\r$/, "");
  return new Content(Buffer.alloc(0), "utf8", "").data(line.replace(HALF, "\ufffd")).toString("utf8").replace(/\r$/, "");
}

/** Returns a line as `cat -A` prints it: `^I` for a tab, `M-C` and similar texts for bytes beyond ASCII. */
function withCarets(line, keep) {
  const data = new Content(Buffer.alloc(0), "utf8", "").data(line.replace(HALF, "?"));
  return Array.from(data, (byte) => {
    const low = byte & 127;
    if (keep.includes(String.fromCharCode(byte))) return keep;
    return (byte > low ? "M-" : "") + (low < 32 || low === 127 ? `^${String.fromCharCode(low ^ 64)}` : String.fromCharCode(low));
  }).join("");
}

/** Replaces tabs by spaces in a text that starts at a column. */
function expandTabs(text, column, size) {
  return Array.from(text, (sign) => {
    const wide = sign === "\t" ? " ".repeat(size - (column % size)) : sign;
    column = sign === "\r" ? 0 : column + (sign === "\t" ? wide.length : 1);
    return wide;
  }).join("");
}

function replaceEntities(text) {
  return text.replace(ENTITY, (found, name, decimal, hexadecimal) => {
    if (name) return ENTITIES[name];
    return signOf(decimal ? parseInt(decimal, 10) : parseInt(hexadecimal, 16)) ?? found;
  });
}

const signOf = (number) => (number <= 0x10ffff ? String.fromCodePoint(number) : undefined);

/** Returns a text with each escape of Python, C or JSON replaced by its meaning. */
function unescaped(text) {
  if (!text.includes("\\")) return text;
  const plain = text.split(BYTES).map((part) => part.replace(ESCAPE, meaning));
  const data = (text.match(BYTES) ?? []).map((found) =>
    Buffer.from(Array.from(found.matchAll(/\\x(..)|\\([0-7]{3})/g), ([, six, eight]) => (six ? parseInt(six, 16) : parseInt(eight, 8)))),
  );
  return plain.map((part, index) => part + (index < data.length ? decoded(data[index]) : "")).join("");
}

function decoded(data) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return data.toString("latin1");
  }
}

function meaning(found, ...groups) {
  const hexadecimal = groups.slice(0, 4).find((digits) => digits !== undefined);
  if (hexadecimal) return signOf(parseInt(hexadecimal, 16)) ?? found;
  const [octal, sign] = groups.slice(4);
  return octal ? signOf(parseInt(octal, 8)) : (SHORT[sign] ?? sign);
}

/**
 * Returns the lines of the quoted texts in a line of an answer. The line itself if it is not a list of quoted texts. A
 * single quoted text at the end of the line keeps the text before it.
 */
function unquoted(said, escapes) {
  const { strings, beside, label } = splitAtQuotes([...said], escapes);
  if (strings.length === 0 || !BESIDE_STRINGS.test(beside.slice(label.length))) return [said];
  if (strings.length === 1) return splitLines(label + strings[0]);
  return BESIDE_STRINGS.test(label) ? strings.flatMap(splitLines) : [said];
}

/** Returns the quoted texts of a line, the text outside them, and the part of this text before the first quote. */
function splitAtQuotes(said, escapes) {
  const strings = [];
  let [beside, label] = ["", ""];
  for (let at = 0; at < said.length; ) {
    const [quote, former] = [said[at], said[at - 1] ?? " "];
    const isPrefix = PREFIXES.includes(former);
    const opens = !isAlnum(former) || (isPrefix && !isAlnum(said[at - 2] ?? " "));
    const end = opens && QUOTES.includes(quote) ? endOfString(said, at, escapes) : undefined;
    if (end === undefined) {
      beside += quote;
      at++;
      continue;
    }
    if (strings.length === 0) label = isPrefix && beside.endsWith(former) ? beside.slice(0, -1) : beside;
    const body = said.slice(at + 1, end).join("").replaceAll(quote + quote, quote);
    strings.push(escapes ? unescaped(body) : body);
    at = end + 1;
  }
  return { strings, beside, label };
}

/** Returns the position of the quote that closes the quote at `start`. Doubled and escaped quotes do not close it. */
function endOfString(said, start, escapes) {
  const quote = said[start];
  let at = start + 1;
  if (said[at] === quote && said[at + 1] !== quote) return at;
  while (at < said.length) {
    if ((said[at] === "\\" && escapes) || (said[at] === quote && said[at + 1] === quote)) at += 2;
    else if (said[at] === quote) return at;
    else at++;
  }
  return undefined;
}

function withoutHeading(said) {
  return [said.replace(HEADING, "")];
}

function withoutFrame(said) {
  const bare = cutRight(said);
  return [CELL_ENDS.some((end) => bare.endsWith(end)) ? bare.slice(0, -1) : said];
}

/**
 * Returns the lines of all strings in an answer that is JSON or JSON Lines. If several objects have one number and one
 * string each, the number precedes the string.
 */
function stringsOfJSON(answer) {
  if (!/^[{["]/.test(cutLeft(answer))) return [];
  const values = parsed([answer]) ?? parsed(answer.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/).filter((line) => !isBlank(line)));
  if (values === undefined) return [];
  const rows = values.length > 1 ? values : firstList(values[0]);
  const pairs = rows.map(numberedString).filter((pair) => pair !== undefined);
  if (pairs.length > 1 && pairs.length === rows.length) return pairs;
  return values.flatMap(textsIn).flatMap(splitLines);
}

function parsed(texts) {
  try {
    return texts.map((text) => JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns a value that is a list of objects, or the first such list inside the value. */
function firstList(value) {
  const list = Array.isArray(value) ? value : Object.values(isObject(value) ? value : {}).find(Array.isArray);
  return list?.every(isObject) ? list : [];
}

const isObject = (value) => value !== null && typeof value === "object";

function numberedString(row) {
  const parts = isObject(row) ? Object.values(row) : [];
  const number = parts.find(Number.isInteger);
  const text = parts.find((each) => typeof each === "string")?.replace(/[\r\n]+$/, "");
  return parts.length === 2 && number !== undefined && text?.includes("\n") === false ? `${number}\t${text}` : undefined;
}

function textsIn(value) {
  if (typeof value === "string") return [value];
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
