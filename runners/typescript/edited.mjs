// Detect changes that the answered calls of one message did not request.
import { followed } from "./compare.mjs";
import { BLANK, Content, isBlank } from "./content.mjs";
import { pieces } from "./known.mjs";
import { notebookHarms } from "./notebook.mjs";
import { asked, changes as changesBy, isInserted, mayBecome } from "./permitted.mjs";

const [MOST_STARTS, MOST_CHANGES] = [16, 4];
/** Maximum number of interpretations of a replacement that are tried to find a harm. */
const MOST_READINGS = 8;
const LINE_BREAKS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const AROUND = new RegExp(`^[${BLANK}]+|[${BLANK}]+$`, "gu");

export const dataOf = (entry) => (entry?.type === "file" ? entry.data : undefined);

/**
 * Returns the changes of a file that the calls did not request, neither with their own arguments nor with those of
 * hooks: number of the call, kind, description.
 */
export function made(path, chain, hooks, known, before, after) {
  const harms = madeBy(path, chain, known, before, after);
  const replacing = hooks.filter((hook) => Object.keys(hook.replaces).length > 0);
  if (harms.length === 0 || replacing.length === 0) return harms;
  const hooked = madeBy(path, chain.map((call) => withHooks(call, replacing)), known, before, after);
  const real = (found) => found.filter(({ kind }) => kind !== "blind").length;
  const isLess = real(hooked) - real(harms) || hooked.length - harms.length;
  return isLess < 0 ? hooked : harms;
}

function withHooks(call, hooks) {
  const put = hooks.filter((hook) => meets(hook, call.tool)).map((hook) => hook.replaces);
  return { ...call, given: Object.assign({}, call.given, ...put) };
}

/** Returns whether a hook runs for a tool. */
export const meets = ({ matcher }, tool) => matcher === "*" || matcher.split("|").includes(tool);

function madeBy(path, chain, known, before, after) {
  let former = dataOf(before.get(path));
  const now = dataOf(after.get(path));
  const isBlind = !known.met && former?.length > 0;
  const blind = { kind: "blind", what: "it was edited, and the session was never shown it" };
  if (chain.some(({ tool }) => tool === "NotebookEdit")) {
    const all = chain.every(({ tool }) => tool === "NotebookEdit");
    const harms = all ? notebookHarms(chain.map(({ given }) => given), former, now) : [];
    return [...(isBlind ? [blind] : []), ...harms].map((each) => ({ number: chain.at(-1).number, ...each }));
  }
  const wanted = chain.map(({ number, tool, given }) => ({ number, call: asked(tool, given) })).filter(({ call }) => call !== undefined);
  if (wanted.length === 0) return [];
  const harms = [];
  const calls = wanted.map(({ call }) => call);
  const { number, call: last } = wanted.at(-1);
  const isWritten = calls.some((call) => call.whole !== undefined);
  if (last.whole !== undefined) {
    const kept = now && isInserted(former, last, now);
    const [gone] = former && !kept ? known.lost(now ?? Buffer.alloc(0)) : [];
    if (gone) harms.push({ number, kind: "lost", what: `a line that the session was never shown: ${gone.text}` });
  } else if (isBlind && !isWritten) harms.push({ number, ...blind });
  // A file that replaces a link has the edited content of the link's target.
  if (before.get(path)?.type === "symlink" && last.whole === undefined) former = dataOf(before.get(followed(path, before) ?? path));
  // Only a written file may get the line ends of the files near it.
  const crlf = isWritten && [...before.values()].some((entry) => dataOf(entry)?.includes("\r\n"));
  const isMade = (calls) => now !== undefined && starts(former, calls.slice(0, -1)).some((start) => mayBecome(start, calls.at(-1), now, crlf));
  if (isMade(calls)) return harms;
  const left = calls.length > 1 ? calls.findIndex((_, index) => isMade(calls.toSpliced(index, 1))) : -1;
  if (left >= 0) return [...harms, { number: wanted[left].number, kind: "untrue", what: "the call was answered, and what it asked is not there" }];
  const [start] = starts(former, calls.slice(0, -1));
  const found = edited(known, start, last, now, crlf);
  return found ? [...harms, { number, ...found }] : harms;
}

/** Returns the contents that a file may have after the calls. */
function starts(before, calls) {
  let all = [before];
  for (const call of calls) {
    const next = all.flatMap((start) => {
      const former = Content.of(start ?? Buffer.alloc(0));
      let texts = [call.whole ?? former.text];
      for (const edit of call.edits ?? []) texts = texts.flatMap((text) => changesBy(text, edit).slice(0, MOST_CHANGES).map((each) => each.text));
      return texts.map((text) => former.data(text));
    });
    if (next.length > 0) all = next.slice(0, MOST_STARTS);
  }
  return all;
}

/** Returns the harm of an answered Edit or Write to its file. Undefined if the file is as requested. */
function edited(known, before, call, after, crlf) {
  if (after === undefined) return before === undefined ? { kind: "untrue", what: "the call was answered, and there is no such file" } : { kind: "lost", what: "it is gone" };
  if (mayBecome(before, call, after, crlf)) return undefined;
  if (before?.equals(after)) return { kind: "untrue", what: "the call was answered, and it holds what it held before" };
  if (call.whole !== undefined) return { kind: "altered", what: "it does not hold what was to be written" };
  if (known.others && known.former.some((former) => mayBecome(former, call, after, false))) return { kind: "lost", what: "changes of another program" };
  let [content, got] = [Content.of(before ?? Buffer.alloc(0)), Content.of(after)];
  if (content.mark.length > 0 && call.edits.some(({ old }) => old.includes("\ufeff") && !content.text.includes(old))) {
    [content, got] = [withMark(content), withMark(got)];
  }
  let change = { text: content.text };
  for (const edit of call.edits) {
    const understood = changesBy(change.text, edit).slice(0, MOST_READINGS);
    if (understood.length === 0) return { kind: "misplaced", what: "it was edited, and the text that was to be replaced is not in one place" };
    change = understood.find((each) => bare(each.text) === bare(got.text)) ?? understood[0];
  }
  if (!got.mark.equals(content.mark) || got.encoding !== content.encoding) return { kind: "spoiled", what: "its encoding or byte order mark" };
  return beside(known, change, got.text, call.edits.length === 1);
}

/** Returns a content whose text includes its byte order mark as a character. */
const withMark = (content) => (content.mark.length > 0 ? new Content(Buffer.alloc(0), content.encoding, `\ufeff${content.text}`) : content);

/** Returns the harm if the old text occurred once and the file does not have the requested content. */
function beside(known, change, got, single) {
  if (single && agreesOutside(change, got)) return { kind: "altered", what: "what was inserted is not what was asked" };
  if (bare(change.text) === bare(got)) return { kind: "spoiled", what: "line ends, whitespace or the final newline beside what was replaced" };
  const counts = new Map();
  for (const line of change.text.split(LINE_BREAKS)) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of got.split(LINE_BREAKS)) counts.set(line, (counts.get(line) ?? 0) - 1);
  const gone = known.lines.find(({ text }) => counts.get(text) > 0 && !isBlank(text));
  if (gone) return { kind: "lost", what: `a line that the call did not name: ${gone.text}` };
  return { kind: "spoiled", what: "it differs beside what was replaced" };
}

function agreesOutside({ text, inserted }, got) {
  const [begins, ends] = [text.slice(0, inserted[0][0]), text.slice(inserted.at(-1)[1])];
  return got.length >= begins.length + ends.length && got.startsWith(begins) && got.endsWith(ends);
}

const bare = (text) => pieces(text).map((line) => line.replace(AROUND, "")).join("\n").replace(/^\n+|\n+$/g, "");
