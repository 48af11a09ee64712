// Notebook: what a NotebookEdit must leave as it is: every cell but one, and all beside the cells.
import { isDeepStrictEqual as same } from "node:util";

/** Says what an answered NotebookEdit did beyond what it asked; how the JSON is laid out does not matter. */
export function notebookHarm(given, before, after) {
  const [former, now] = [parsed(before), parsed(after)];
  if (!former) return undefined;
  if (!now) return "lost: it is no notebook any more";
  if (!same({ ...former, cells: null }, { ...now, cells: null })) return "spoiled: what is beside the cells";
  const { edit_mode: mode = "replace", new_source: source = "" } = given;
  const wanted = { insert: 1, delete: -1 }[mode] ?? 0;
  const grown = now.cells.length - former.cells.length;
  if (grown !== wanted && !(mode === "replace" && grown === 1)) return "it has another number of cells";
  const holds = (cells, wanted) => cells.some((cell) => same(cell, wanted));
  const others = former.cells.filter((cell) => holds(now.cells, cell)).length;
  if (others < former.cells.length - (wanted === 1 ? 0 : 1)) return "lost: cells that the call did not name";
  const fresh = now.cells.filter((cell) => !holds(former.cells, cell));
  if (mode !== "delete" && fresh.length > 0 && sourceOf(fresh[0]) !== source) return "altered: the cell that was written is not what was asked";
  const untrue = mode === "replace" && fresh.length === 0 && !now.cells.some((cell) => sourceOf(cell) === source);
  return untrue ? "untrue: no cell holds what was to be written" : undefined;
}

function sourceOf(cell) {
  const source = cell?.source ?? "";
  return Array.isArray(source) ? source.join("") : String(source);
}

function parsed(data) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    JSON.parse(text);
    // Numbers as their exact values: 1.0 is 1, and no digit gets lost.
    const exact = text.replace(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/gs, (token) => (token[0] === '"' ? token : `["\\u0000", "${valueOf(token)}"]`));
    const value = JSON.parse(exact);
    return Array.isArray(value?.cells) ? value : undefined;
  } catch {
    return undefined;
  }
}

function valueOf(digits) {
  if (!/[.eE]/.test(digits)) return String(BigInt(digits));
  return Number.isInteger(Number(digits)) ? String(BigInt(Number(digits))) : String(Number(digits));
}
