// Create the files of a scenario, change them, and take snapshots.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, sep } from "node:path";
import { bytes } from "./suite.mjs";

const SECOND = 1000000000n;
const OLD = 1577836800n * SECOND;

const octal = (digits, usual) => (digits === undefined ? usual : parseInt(digits, 8));
const mode = (path) => fs.statSync(path).mode & 0o7777;

/** Returns the default mode on Windows, which only stores whether a file may be written. */
function modeIn(status) {
  if (process.platform !== "win32") return Number(status.mode) & 0o7777;
  if (status.isDirectory()) return 0o755;
  return Number(status.mode) & 0o200 ? 0o644 : 0o444;
}

/** An event is impossible in the current workspace. */
export class Misfit extends Error {}

/** The directory does not store the given files as required. */
export class Unkept extends Error {
  constructor(path) {
    super(`a folder that keeps what is laid out in it: ${path}`);
  }
}

/** Returns whether a path of an export is relative, without `.`, `..` and empty parts. */
const isPlain = (path) => path.split("/").every((part) => !["", ".", ".."].includes(part));

/** Sets the time of a file in nanoseconds. `utimes` of Node accepts seconds, which cannot represent all digits. */
function setTime(path, nanoseconds) {
  const seconds = Number(nanoseconds) / 1e9;
  fs.utimesSync(path, seconds, seconds);
  const there = () => fs.statSync(path, { bigint: true }).mtimeNs;
  if (there() === nanoseconds) return;
  if (process.platform !== "win32") {
    const part = ((nanoseconds % SECOND) + SECOND) % SECOND;
    const whole = new Date(Number((nanoseconds - part) / SECOND) * 1000).toISOString().slice(0, 19);
    spawnSync("touch", ["-d", `${whole}.${String(part).padStart(9, "0")}Z`, "--", path]);
    return;
  }
  // Never set an earlier time, because a comparison in milliseconds would then differ.
  for (let step = 1; there() < nanoseconds; step++) fs.utimesSync(path, seconds, seconds + step * 2e-7);
}

/** The directory in which one scenario runs. */
export class Place {
  constructor() {
    this.base = fs.realpathSync.native(fs.mkdtempSync(join(tmpdir(), "readfirst-")));
    this.root = join(this.base, "s", "w");
    this.home = join(this.base, "h");
    fs.chmodSync(this.base, 0o755);
    for (const folder of [dirname(this.root), this.root, this.home]) fs.mkdirSync(folder, 0o755);
  }

  remove() {
    const open = (folder) => {
      fs.chmodSync(folder, 0o700);
      for (const each of fs.readdirSync(folder, { withFileTypes: true })) {
        if (each.isDirectory()) open(`${folder}/${each.name}`);
      }
    };
    open(this.base);
    fs.rmSync(this.base, { recursive: true, force: true, maxRetries: 5 });
  }

  layOut(files) {
    const folders = new Map([["", 0o755]]);
    const links = [];
    for (const [path, state] of Object.entries(files)) {
      if (!isPlain(path)) throw new Error(`${path}: it leads out of the workspace`);
      for (let folder = posix.dirname(path); folder !== "."; folder = posix.dirname(folder)) {
        if (!folders.has(folder)) folders.set(folder, 0o755);
      }
      if (state.type === "directory") {
        folders.set(path, octal(state.mode, 0o755));
        this.#makeFolder(path);
      } else if (state.type === "hardlink") {
        links.push([path, state.to]);
      } else {
        this.create(path, state);
        if (state.type === "file") setTime(`${this.root}/${path}`, BigInt(state.mtime_ns));
      }
    }
    for (const [path, to] of links) {
      this.#makeFolderOf(to);
      this.#makeFolderOf(path);
      fs.linkSync(`${this.root}/${to}`, `${this.root}/${path}`);
    }
    for (const path of [...folders.keys()].sort().reverse()) {
      setTime(`${this.root}/${path}`, OLD);
      fs.chmodSync(`${this.root}/${path}`, folders.get(path));
    }
  }

  create(path, state) {
    const target = `${this.root}/${path}`;
    this.#makeFolderOf(path);
    if (state.type === "symlink") {
      fs.symlinkSync(state.target.replaceAll("$WS", this.root), target);
    } else if (state.type === "directory") {
      fs.mkdirSync(target, { recursive: true });
      fs.chmodSync(target, octal(state.mode, 0o755));
    } else {
      fs.writeFileSync(target, bytes(state), { flag: "wx" });
      fs.chmodSync(target, octal(state.mode, 0o644));
    }
  }

  /** Performs an event. Throws a Misfit if the event is impossible. */
  perform(event) {
    try {
      this.#perform(event, `${this.root}/${event.path}`);
    } catch (error) {
      throw new Misfit(`cannot ${event.event} ${event.path}: ${error.message}`);
    }
  }

  /**
   * Creates a directory in the workspace. A path of an untrusted export, or a link, must not lead out of the workspace.
   */
  #makeFolder(path) {
    if (path !== "." && !isPlain(path)) throw new Error(`${path}: it leads out of the workspace`);
    let there = `${this.root}/${path}`;
    while (!fs.lstatSync(there, { throwIfNoEntry: false })) there = dirname(there);
    this.#inside(there);
    fs.mkdirSync(`${this.root}/${path}`, { recursive: true });
  }

  #makeFolderOf(path) {
    if (!isPlain(path)) throw new Error(`${path}: it leads out of the workspace`);
    this.#makeFolder(posix.dirname(path));
  }

  #inside(path) {
    const real = fs.realpathSync.native(path);
    if (real !== this.root && !real.startsWith(this.root + sep)) throw new Error("it leads out of the workspace");
    return real;
  }

  #perform(event, target) {
    if (!isPlain(event.path) || (event.event === "rename" && !isPlain(event.to))) throw new Error("it leads out of the workspace");
    if (fs.existsSync(dirname(target))) this.#inside(dirname(target));
    switch (event.event) {
      case "modify":
        this.#modify(event, target);
        break;
      case "delete":
        fs.lstatSync(target);
        fs.rmSync(target, { recursive: true });
        break;
      case "rename":
        this.#inside(dirname(`${this.root}/${event.to}`));
        fs.renameSync(target, `${this.root}/${event.to}`);
        break;
      case "chmod":
        fs.chmodSync(this.#inside(target), parseInt(event.mode, 8));
        break;
      case "touch":
        this.#shift(this.#inside(target), fs.statSync(target, { bigint: true }).mtimeNs, event);
        break;
      case "symlink":
      case "mkdir": {
        const there = fs.lstatSync(target, { throwIfNoEntry: false });
        if (there && !there.isDirectory()) fs.unlinkSync(target);
        this.create(event.path, event.entry);
        break;
      }
      default:
        throw new Error("this runner cannot do that");
    }
  }

  #shift(path, former, event) {
    setTime(path, former + BigInt(event.mtime_shift_ns));
  }

  #modify(event, target) {
    const there = fs.lstatSync(target, { throwIfNoEntry: false });
    if (event.entry.type !== "file") {
      if (there) fs.unlinkSync(target);
      this.create(event.path, event.entry);
      return;
    }
    if (!there) {
      this.create(event.path, event.entry);
      this.#shift(target, OLD, event);
      return;
    }
    const real = this.#inside(target);
    const status = fs.statSync(real, { bigint: true });
    if (!status.isFile()) throw new Error("it is not a regular file");
    const former = modeIn(status);
    if (!(former & 0o200)) fs.chmodSync(real, former | 0o200);
    fs.writeFileSync(real, bytes(event.entry), { flag: "r+" });
    fs.truncateSync(real, bytes(event.entry).length);
    fs.chmodSync(real, octal(event.entry.mode, former));
    this.#shift(real, status.mtimeNs, event);
  }

  /** Returns a snapshot: a map of all paths to their entries. */
  snapshot() {
    const found = new Map();
    const root = fs.lstatSync(this.root, { throwIfNoEntry: false });
    if (!root) found.set(".", { type: "missing" });
    else if (!root.isDirectory()) found.set(".", { type: "no directory" });
    else this.#scan(this.root, "", () => true, found);
    this.#scan(this.base, "../../", (name) => name !== "s" && name !== "h", found);
    this.#scan(`${this.base}/s`, "../", (name) => name !== "w", found);
    this.#scan(this.home, "$HOME/", (name) => !/^(\.claude.*|\.npm|\.cache|\.config|\.local)$/s.test(name), found);
    return found;
  }

  #scan(folder, prefix, takes, found) {
    let listed;
    let closed;
    try {
      listed = fs.readdirSync(folder);
      if (listed.length > 0) fs.lstatSync(`${folder}/${listed[0]}`);
    } catch (error) {
      if (error.code !== "EACCES") throw error;
      closed = mode(folder);
      fs.chmodSync(folder, closed | 0o700);
      listed = fs.readdirSync(folder);
    }
    for (const name of listed.filter(takes)) {
      const path = `${folder}/${name}`;
      const status = fs.lstatSync(path, { bigint: true });
      const entry = { type: "special", mode: modeIn(status) };
      found.set(prefix + name, entry);
      if (status.isDirectory()) {
        entry.type = "directory";
        this.#scan(path, `${prefix}${name}/`, () => true, found);
      } else if (status.isSymbolicLink()) {
        const target = fs.readlinkSync(path);
        const own = target === this.root || target.startsWith(`${this.root}/`);
        found.set(prefix + name, { type: "symlink", target: own ? `$WS${target.slice(this.root.length)}` : target });
      } else if (status.isFile()) {
        entry.type = "file";
        entry.data = readAnyway(path, entry.mode);
        entry.inode = status.ino;
        entry.names = status.nlink;
        entry.time = status.mtimeNs;
      }
    }
    if (closed !== undefined) fs.chmodSync(folder, closed);
  }
}

function readAnyway(path, mode) {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if (error.code !== "EACCES") throw error;
  }
  fs.chmodSync(path, mode | 0o400);
  const data = fs.readFileSync(path);
  fs.chmodSync(path, mode);
  return data;
}

/** Returns a given path that the directory does not store as required, for example without its mode. */
export function unkept(files, root, found) {
  const keeps = ([path, state]) => {
    const entry = found.get(path);
    if (state.type === "hardlink") state = files[state.to];
    if (entry?.type !== state?.type) return false;
    if (state.type === "symlink") return entry.target.replaceAll("$WS", root) === state.target.replaceAll("$WS", root);
    if (entry.mode !== octal(state.mode, 0o755)) return false;
    if (state.type !== "file") return true;
    const late = entry.time - BigInt(state.mtime_ns);
    return late >= 0n && late < 1000n && entry.data.equals(bytes(state));
  };
  return Object.entries(files).find((each) => !keeps(each))?.[0];
}

/** Returns whether two entries of snapshots are equal, without times and inodes. */
export function equal(one, other) {
  if (!one || !other) return one === other || (!one && !other);
  return (
    one.type === other.type &&
    one.mode === other.mode &&
    one.target === other.target &&
    (one.type !== "file" || one.data.equals(other.data))
  );
}

/** Returns the differing entries; null for a path that no longer exists. */
export function changes(before, after) {
  const found = new Map();
  for (const [path, entry] of after) if (!equal(entry, before.get(path))) found.set(path, entry);
  for (const path of before.keys()) if (!after.has(path)) found.set(path, null);
  return found;
}
