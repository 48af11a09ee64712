// :Determine the contents that a file may have after a call, exactly or by the conventions of docs/export.md.
import { Content, folded, places, withLineEnds, withoutTrailingWhitespace } from "./content.mjs";

const MOST_TEXTS = 64;

/**
 * Returns the request of a call: `edits`, or a `whole` text, which may be inserted if it `inserts`. Undefined for other
 * arguments.
 */
export function asked(tool, given) {
  if (tool === "Write") return typeof given.content === "string" ? { whole: given.content } : undefined;
  const list = tool === "Edit" ? [given] : tool === "MultiEdit" && Array.isArray(given.edits) ? given.edits : [];
  const edits = list.map((each) => ({ old: each?.old_string, new: each?.new_string, every: each?.replace_all, count: each?.expected_replacements }));
  if (edits.length === 0 || edits.some((each) => typeof each.old !== "string" || typeof each.new !== "string")) return undefined;
  return edits.length === 1 && edits[0].old === "" ? { whole: edits[0].new, inserts: true } : { edits };
}

/**
 * Returns whether a file with these bytes (undefined: no file) may have the content `after` when the call is answered.
 */
export function mayBecome(before, call, after, crlf) {
  const former = Content.of(before ?? Buffer.alloc(0));
  if (call.whole !== undefined) return isInserted(before, call, after) || mayBeWritten(former, call.whole, after, former.isCRLF || (!before?.length && crlf));
  const marked = former.mark.length > 0 && call.edits.some((edit) => edit.old.includes("\ufeff"));
  if (marked && mayBeEdited(new Content(Buffer.alloc(0), former.encoding, `\ufeff${former.text}`), call.edits, after)) return true;
  return mayBeEdited(former, call.edits, after);
}

/** Returns whether an insertable text is before or after the whole old content. */
export function isInserted(before, call, after) {
  if (!call.inserts || !before?.length) return false;
  const former = Content.of(before);
  return insertedInto(former.text, call.whole).some((text) =>
    [text + former.text, former.text + text].some((each) => former.data(each).equals(after)));
}

function mayBeWritten(former, text, after, follows) {
  const unmarked = text.replace(/^\ufeff/, "");
  const plain = [new Content(Buffer.alloc(0), "utf8", ""), former, new Content(Buffer.alloc(0), former.encoding, "")];
  return [text, unmarked, withoutTrailingWhitespace(text), withoutTrailingWhitespace(unmarked)]
    .flatMap((each) => [each, withLineEnds(each, follows ? "\r\n" : "\n")])
    .some((each) => plain.some((content) => content.data(each).equals(after)));
}

function mayBeEdited(former, edits, after) {
  let texts = [former.text];
  for (const edit of edits.slice(0, -1)) texts = texts.flatMap((text) => changes(text, edit).map((each) => each.text)).slice(0, MOST_TEXTS);
  return texts.some((text) => changes(text, edits.at(-1)).some((change) => fits(former, change, after)));
}

/** Returns the results that an edit of a text may have. Empty if the old text does not occur, or is ambiguous. */
export function changes(text, edit) {
  if (edit.old === "") return text === "" ? [{ text: edit.new, inserted: [[0, edit.new.length]], curled: false }] : [];
  const all = [];
  const seen = new Set();
  for (const [fold, bare] of [[false, false], [false, true], [true, false], [true, true]]) {
    const found = places(text, edit.old, fold, bare);
    if (found.length === 0 || seen.has(String(found))) continue;
    seen.add(String(found));
    const every = edit.every === true || edit.every === "true";
    if (found.length > 1 && !every && edit.count !== found.length) return all;
    for (const inserted of insertedInto(text, edit.new)) all.push(put(text, found, inserted, fold));
    if (withoutTrailingWhitespace(edit.new) === "") {
      const longer = found.map(([start, end]) => [start, end + (/^\r?\n/.exec(text.slice(end, end + 2))?.[0].length ?? 0)]);
      all.push(put(text, longer, "", fold));
    }
  }
  return all;
}

function insertedInto(text, inserted) {
  const lines = /\n/.test(text);
  const own = new Content(undefined, "utf8", text).isCRLF ? withLineEnds(inserted, "\r\n") : inserted;
  const cut = withoutTrailingWhitespace(own);
  return [own, ...(lines && own !== inserted && inserted.includes("\r\n") ? [inserted] : []), ...(cut === own ? [] : [cut])];
}

function put(text, found, inserted, curled) {
  const parts = [];
  const where = [];
  let [at, length] = [0, 0];
  for (const [start, end] of found) {
    parts.push(text.slice(at, start), inserted);
    length += start - at;
    where.push([length, length + inserted.length]);
    length += inserted.length;
    at = end;
  }
  return { text: [...parts, text.slice(at)].join(""), inserted: where, curled };
}

/**
 * Returns whether a file has the content of a change. If quotes may be curly, a straight quote matches a curly quote of
 * its kind.
 */
function fits(former, change, after) {
  if (former.data(change.text).equals(after)) return true;
  const got = Content.of(after);
  if (!change.curled || !got.mark.equals(former.mark) || got.encoding !== former.encoding) return false;
  if (got.text.length !== change.text.length) return false;
  let at = 0;
  for (const [start, end] of [...change.inserted, [change.text.length, change.text.length]]) {
    if (got.text.slice(at, start) !== change.text.slice(at, start)) return false;
    if (folded(got.text.slice(start, end)) !== folded(change.text.slice(start, end))) return false;
    at = end;
  }
  return true;
}
