// readfirst-runner: runs an exported suite of readfirst against an implementation; docs/export.md is what it follows.
export { load } from "./suite.mjs";
export { Lines } from "./lines.mjs";
export { Mcp } from "./mcp.mjs";
export { judge, LEVELS } from "./compare.mjs";
export { run } from "./run.mjs";
