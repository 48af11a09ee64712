// Rights: whether this process opens files that nobody may, as root does.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

let known;

/** Tells whether a file of mode 0000 can be read. */
export function readsAnything() {
  if (known === undefined) {
    const file = `${tmpdir()}/readfirst-rights-${process.pid}`;
    writeFileSync(file, "", { mode: 0o000 });
    try {
      readFileSync(file);
      known = true;
    } catch {
      known = false;
    } finally {
      rmSync(file);
    }
  }
  return known;
}
