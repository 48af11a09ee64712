// Replay the calls of a scenario, and record the results of each step.
import { placed } from "./suite.mjs";
import { neutral } from "./system.mjs";
import { changes, equal, Misfit, Unkept, unkept } from "./workspace.mjs";

/**
 * Replays a scenario. Returns the steps, and a Misfit if an impossible event ended them. Throws if the implementation
 * breaks.
 */
export async function replay(scenario, implementation, place) {
  const { root, home } = place;
  const { given } = scenario;
  place.layOut(given.files);
  let state = place.snapshot();
  const lost = unkept(given.files, root, state);
  if (lost !== undefined) throw new Unkept(lost);
  const start = state;
  const folder = (path) => (path ? `${root}/${path}` : root);
  const rules = (list) => list.map((rule) => rule.replaceAll("$WS", root));
  const hooks = given.hooks.map(({ event, matcher, command }) => ({ event, matcher, command: command.replaceAll("$WS", root) }));
  const permissions = given.permissions && {
    mode: given.permissions.mode,
    directory: folder(given.permissions.working_directory),
    allow: rules(given.permissions.allow),
    additional: given.permissions.additional_directories.map(folder),
  };
  const opening = { root, home, needs: scenario.needs, deny: rules(given.deny), hooks, permissions };
  const sessions = [await implementation.open(opening)];
  let other;
  const steps = [];

  const normalised = (text) => {
    hooks.forEach((hook, index) => (text = text.replaceAll(hook.command, () => `$HOOK${index + 1}`)));
    text = text.replace(/\bFull output saved to: \/\S+/g, "Full output saved to: FILE");
    text = neutral(neutral(text, root, "$WS"), home, "$HOME");
    text = text.replace(/\.tmp\.[0-9]+\.[0-9a-f]{6,}/g, ".tmp.N");
    return text.replace(/\(first [0-9]+ of [0-9]+ bytes\)/g, "(first N of N bytes)");
  };

  const checked = (result) => {
    if (typeof result?.text !== "string" || typeof result.refused !== "boolean") throw new Error("an answer is no result");
    const reminders = (result.reminders ?? []).map(normalised);
    return { text: normalised(result.text), refused: result.refused, error: result.error ?? null, reminders };
  };

  const request = ({ tool, arguments: given }) => ({ tool, arguments: placed(given, root) });

  async function race(step, session, done) {
    let failed;
    const interfere = async () => {
      if (done.struck) return;
      done.struck = true;
      done.middle = place.snapshot();
      try {
        for (const event of step.during) place.perform(event);
      } catch (error) {
        failed = error;
      }
      done.start = place.snapshot();
      done.world = changes(done.middle, done.start);
    };
    const given = step.begun === undefined ? request(step) : { tool: step.tool, arguments: step.begun.replaceAll("$WS", () => JSON.stringify(root).slice(1, -1)) };
    const result = step.interrupted
      ? await session.callInterrupted(given, step.interrupted, interfere)
      : await session.callDuring(given, interfere);
    return { result, failed };
  }

  async function happen(step) {
    const session = sessions.at(-1);
    if (step.event === "other") sessions.push((other ??= await implementation.open(opening)));
    else if (step.event === "back") sessions.pop();
    else if (step.event === "end") await sessions.pop().close?.();
    else if (step.event === "agent") sessions.push(await session.subAgent());
    else await session.happen(step.event, step.path && `${root}/${step.path}`);
  }

  /** Performs a step. Returns a Misfit if an event is impossible. */
  async function perform(step) {
    const done = { results: [], before: state, start: state, world: new Map(), struck: false };
    let misfit;
    if (step.kind === "event") {
      place.perform(step);
    } else if (step.kind === "session") {
      await happen(step);
    } else if (step.kind === "parallel") {
      done.results = await sessions.at(-1).callParallel(step.calls.map(request));
      if (done.results?.length !== step.calls.length) throw new Error("a group got another number of results");
    } else if (step.during.length > 0 || step.interrupted) {
      const { result, failed } = await race(step, sessions.at(-1), done);
      done.results = [result];
      misfit = failed;
    } else {
      done.results = [await sessions.at(-1).call(request(step))];
    }
    done.results = done.results.map(checked);
    // Files that a rewind restores are compared at the next step.
    done.after = step.kind === "session" && step.event === "rewind" ? state : place.snapshot();
    if (step.kind === "event") done.world = changes(done.before, done.after);
    done.touched = done.struck
      ? new Set([...touched(done.before, done.middle), ...touched(done.start, done.after)])
      : touched(done.before, done.after);
    state = done.after;
    steps.push(done);
    return misfit;
  }

  let misfit;
  try {
    for (const step of scenario.steps) {
      misfit = await perform(step).catch((error) => {
        if (error instanceof Misfit) return error;
        throw error;
      });
      if (misfit) break;
    }
  } finally {
    if (other) sessions.push(other);
    while (sessions.length > 0) await sessions.pop().close?.();
  }
  // The changes between the last step and the end of the session.
  const after = place.snapshot();
  const later = { before: state, start: state, after, world: new Map(), touched: touched(state, after) };
  return { given: start, steps, misfit, later };
}

/** Returns the paths of files with the same content but a different time or inode. */
function touched(before, after) {
  const found = new Set();
  for (const [path, entry] of after) {
    const former = before.get(path);
    if (entry.type === "file" && equal(entry, former) && (entry.inode !== former.inode || entry.time !== former.time)) {
      found.add(path);
    }
  }
  return found;
}
