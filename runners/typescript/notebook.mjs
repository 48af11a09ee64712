// Notebook: what answered NotebookEdits did to cells, which are judged by what they are.
import { isDeepStrictEqual as same } from "node:util";

/** What a cell that was written may have beside what was asked. */
const USUAL = { execution_count: null, outputs: [], metadata: {} };

/** A cell that has to be there: as it was (`former`, undefined: a new one), or, where a call named it, with another source and type. */
const slotOf = (former) => ({ former, isNamed: false });

/** Says by which keys a cell is not what has to be there. */
function wrong({ former, isNamed, source, type }, now) {
  const keys = [...new Set([...Object.keys(former ?? {}), ...Object.keys(now)])].sort();
  const isSame = (key) => Object.hasOwn(former ?? {}, key) === Object.hasOwn(now, key) && same(former?.[key], now[key]);
  if (former && !isNamed) return keys.filter((key) => !isSame(key));
  const isUsual = (key) => same(now[key], USUAL[key] ?? null);
  const fits = (key) => {
    if (key === "source") return sourceOf(now) === source;
    if (key === "cell_type") return same(now[key], type ?? (Object.hasOwn(former ?? {}, key) ? former[key] : now[key]));
    if (key === "execution_count" || key === "outputs") return isSame(key) || !Object.hasOwn(now, key) || isUsual(key);
    return former ? isSame(key) : key === "id" || isUsual(key);
  };
  const found = keys.filter((key) => !fits(key));
  return Object.hasOwn(now, "source") ? found : [...found, "source"];
}

/** Says what answered NotebookEdits did beyond what they asked; how the JSON is laid out does not matter. */
export function notebookHarms(calls, before, after) {
  const [former, now] = [parsed(before), parsed(after)];
  if (!former) return [];
  if (!now) return [{ kind: "lost", what: "it is no notebook any more" }];
  const beside = same({ ...former, cells: null }, { ...now, cells: null }) ? [] : [{ kind: "spoiled", what: "what is beside the cells" }];
  let ways = [{ slots: former.cells.map(slotOf), removed: [] }];
  for (const given of calls) {
    const next = ways.flatMap((way) => withCall(way, given));
    if (next.length > 0) ways = next;
  }
  const tried = ways.map((way) => compared(way, former.cells, now.cells));
  return [...beside, ...tried.reduce((least, each) => (each.length < least.length ? each : least))];
}

/** Returns what has to be there after one more call, by each reading of the cell that it names. */
function withCall({ slots, removed }, given) {
  const { edit_mode: mode = "replace", new_source: source = "", cell_type: type, cell_number: number } = given;
  const isNumber = Number.isInteger(number);
  const fresh = { former: undefined, isNamed: true, source, type };
  return named(slots, given).flatMap((index) => {
    if (mode === "insert") return [{ slots: slots.toSpliced(Math.max(isNumber || index < 0 ? index : index + 1, 0), 0, fresh), removed }];
    if (index === slots.length && mode === "replace") return [{ slots: [...slots, fresh], removed }];
    const slot = slots[index];
    if (!slot) return [];
    if (mode === "delete") return [{ slots: slots.toSpliced(index, 1), removed: slot.former ? [...removed, slot.former] : removed }];
    return [{ slots: slots.with(index, { ...slot, isNamed: true, source, type: type ?? slot.type }), removed }];
  });
}

/** Returns the indexes that a call may name: by a number, an id, or `cell-N`, which may be both. */
function named(slots, { cell_id: id, cell_number: number }) {
  if (id === undefined || id === null) return [Number.isInteger(number) ? number : -1];
  const counted = /^cell-([0-9]{1,9})$/.exec(id);
  const found = [...slots.keys()].filter((index) => slots[index].former && slots[index].former.id === id);
  return counted ? [...found, Number(counted[1])] : found;
}

function compared({ slots, removed }, former, now) {
  if (slots.length === now.length && slots.every((slot, index) => wrong(slot, now[index]).length === 0)) return [];
  if (same(former, now)) return [{ kind: "untrue", what: "the call was answered, and the cells are what they were" }];
  return pairHarms(slots, removed, now);
}

/** Takes the cells that have to be there together with those that are, as far as they belong together, and says what is wrong. */
function pairHarms(slots, removed, now) {
  const pairs = new Map();
  const taken = new Set();
  const pair = (belong) => {
    slots.forEach((slot, index) => {
      const places = [index, ...now.keys()];
      const at = pairs.has(index) ? undefined : places.find((at) => at < now.length && !taken.has(at) && belong(slot, now[at]));
      if (at !== undefined) taken.add(pairs.set(index, at).get(index));
    });
  };
  const missing = () => [...slots.keys()].filter((index) => !pairs.has(index));
  const extra = () => [...now.keys()].filter((at) => !taken.has(at));
  pair((slot, cell) => wrong(slot, cell).length === 0);
  if (pairs.size === slots.length && slots.length === now.length) return [disorder(slots, pairs)];
  if (isEditedElsewhere(missing().map((index) => slots[index]), extra().map((at) => now[at]))) return [{ kind: "misplaced", what: "another cell was edited than the call named" }];
  if (extra().some((at) => removed.some((cell) => same(cell, now[at])))) {
    const lost = missing().map(() => ({ kind: "lost", what: "a cell that the call did not name" }));
    return lost.length > 0 ? lost : [{ kind: "untrue", what: "the call was answered, and the cell that it named is still there" }];
  }
  pair(({ former }, cell) => former && Object.hasOwn(cell, "id") && same(former.id, cell.id));
  pair(({ isNamed, source }, cell) => isNamed && sourceOf(cell) === source);
  pair(({ former }, cell) => former && sourceOf(former) === sourceOf(cell));
  let [without, more] = [missing(), extra()];
  if (without.length === more.length) {
    without.forEach((index, at) => pairs.set(index, more[at]));
    [without, more] = [[], []];
  }
  const changed = [...pairs].sort(([one], [other]) => one - other).map(([index, at]) => [slots[index], wrong(slots[index], now[at])]).filter(([, keys]) => keys.length > 0);
  return [
    ...changed.map(([slot, keys]) => ({ kind: kindOf(slot, keys), what: `the ${keys.join(", ")} of a cell` })),
    ...without.map((index) => (slots[index].former ? { kind: "lost", what: "a cell that the call did not name" } : { kind: "untrue", what: "there is no new cell" })),
    ...(more.length > 0 ? [{ kind: "stray", what: "more cells than were asked for" }] : []),
  ];
}

function disorder(slots, pairs) {
  const others = [...slots.keys()].filter((index) => slots[index].former).map((index) => pairs.get(index));
  const isSorted = others.every((at, index) => index === 0 || others[index - 1] < at);
  return isSorted ? { kind: "misplaced", what: "the new cell is in another place" } : { kind: "spoiled", what: "the order of the cells" };
}

/** Tells whether another cell got what the named one was to get. */
function isEditedElsewhere(missing, extra) {
  const isNamed = (slot) => slot.isNamed && slot.former;
  if (missing.every(isNamed)) return false;
  return missing.some((slot) => isNamed(slot) && extra.some((cell) => same(slot.former, cell)) && extra.some((cell) => sourceOf(cell) === slot.source));
}

function kindOf({ former, isNamed }, keys) {
  if (!isNamed) return keys.includes("source") ? "lost" : "spoiled";
  return !former || keys.includes("source") || keys.includes("cell_type") ? "altered" : "spoiled";
}

export function sourceOf(cell) {
  const source = cell.source ?? "";
  return Array.isArray(source) ? source.join("") : String(source);
}

/** Returns the cells of a notebook; undefined for what is none. */
export const cellsOf = (data) => parsed(data)?.cells;

function parsed(data) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    JSON.parse(text);
    // Numbers as their exact values: 1.0 is 1, and no digit gets lost.
    const exact = text.replace(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/gs, (token) => (token[0] === '"' ? token : `["\\u0000", "${valueOf(token)}"]`));
    const value = JSON.parse(exact);
    const isCell = (cell) => cell !== null && typeof cell === "object" && !Array.isArray(cell);
    return Array.isArray(value?.cells) && value.cells.every(isCell) ? value : undefined;
  } catch {
    return undefined;
  }
}

function valueOf(digits) {
  if (!/[.eE]/.test(digits)) return String(BigInt(digits));
  return Number.isInteger(Number(digits)) ? String(BigInt(Number(digits))) : String(Number(digits));
}
