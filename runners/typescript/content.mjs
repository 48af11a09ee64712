// Convert the bytes of a file to text and back without loss, and find texts in other texts.

export const BLANK = "\\t\\n\\v\\f\\r\\u001c-\\u001f \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const LEFT = new RegExp(`^[${BLANK}]+`, "u");
const RIGHT = new RegExp(`[${BLANK}]+$`, "u");
const AT_ENDS = new RegExp(`[${BLANK.replace("\\n", "").replace("\\r", "")}\\ufeff]+(?=[\\r\\n]|$)`, "gu");
const MARKS = [["\u00ef\u00bb\u00bf", "utf8"], ["\u00ff\u00fe", "utf16le"], ["\u00fe\u00ff", "utf16be"]];

export const cutLeft = (text) => text.replace(LEFT, "");
export const cutRight = (text) => (text === "" || !RIGHT.test(text.slice(-1)) ? text : text.replace(RIGHT, ""));
export const isBlank = (text) => cutLeft(text) === "";
/** Removes whitespace, also byte order marks, at the ends of all lines. */
export const withoutTrailingWhitespace = (text) => text.replace(AT_ENDS, "");
export const withLineEnds = (text, end) => text.replace(/\r?\n/g, end);
export const folded = (text) => text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"');

/**
 * The text of a file, its byte order mark, and its encoding. An invalid byte is represented by a character from U+DC80
 * to U+DCFF.
 */
export class Content {
  constructor(mark, encoding, text) {
    Object.assign(this, { mark, encoding, text });
  }

  static of(data) {
    const start = data.toString("latin1", 0, 3);
    for (const [mark, encoding] of MARKS) {
      if (!start.startsWith(mark) || (encoding !== "utf8" && data.length % 2 !== 0)) continue;
      return new Content(Buffer.from(mark, "latin1"), encoding, decoded(data.subarray(mark.length), encoding));
    }
    return new Content(Buffer.alloc(0), "utf8", decoded(data, "utf8"));
  }

  /** Returns the bytes of a different text, with the mark and the encoding of this content. */
  data(text) {
    if (this.encoding === "utf8") return Buffer.concat([this.mark, encoded(text)]);
    const data = Buffer.from(text, "utf16le");
    return Buffer.concat([this.mark, this.encoding === "utf16be" ? data.swap16() : data]);
  }

  get isCRLF() {
    const ends = this.text.match(/\r?\n/g) ?? [];
    return ends.length > 0 && ends.every((end) => end === "\r\n");
  }

  /** The lines without their ends. An empty file has no lines. */
  get lines() {
    const lines = this.text.split(/\r?\n/);
    return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  }
}

function decoded(data, encoding) {
  if (encoding === "utf16le") return data.toString("utf16le");
  if (encoding === "utf16be") return Buffer.from(data).swap16().toString("utf16le");
  const text = data.toString("utf8");
  if (!text.includes("\ufffd") || Buffer.from(text, "utf8").equals(data)) return text;
  const parts = [];
  for (let at = 0; at < data.length; ) {
    const size = sizeOf(data, at);
    parts.push(size === 0 ? String.fromCharCode(0xdc00 + data[at]) : data.toString("utf8", at, at + size));
    at += size || 1;
  }
  return parts.join("");
}

/** Returns the number of bytes of the character that starts here. 0 if no character does. */
function sizeOf(data, at) {
  const first = data[at];
  const size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size < 2) return size;
  const part = data.subarray(at, at + size);
  return Buffer.from(part.toString("utf8"), "utf8").equals(part) && part.length === size ? size : 0;
}

function encoded(text) {
  if (!/[\udc80-\udcff]/u.test(text)) return Buffer.from(text, "utf8");
  const parts = text.split(/([\udc80-\udcff])/u);
  return Buffer.concat(parts.map((part, index) => (index % 2 ? Buffer.of(part.charCodeAt(0) - 0xdc00) : Buffer.from(part, "utf8"))));
}

/** Returns the start and end of each occurrence of a text in a different text, from the left, without overlaps. */
export function places(text, old, fold, bare) {
  if (fold) [text, old] = [folded(text), folded(old)];
  const from = bare && old.includes("\n") ? [] : undefined;
  if (from) {
    for (let at = 0; at < text.length; at++) {
      from.push(at);
      if (text.startsWith("\r\n", at)) at++;
    }
    from.push(text.length);
    [text, old] = [text.replaceAll("\r\n", "\n"), old.replaceAll("\r\n", "\n")];
  }
  const found = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) {
    const [start, end] = [at, at + old.length];
    found.push(from ? [from[start], from[end]] : [start, end]);
  }
  return found;
}
