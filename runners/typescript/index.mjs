// readfirst-runner: run an exported suite of readfirst against an implementation, as docs/export.md specifies.
export { load } from "./suite.mjs";
export { Lines } from "./lines.mjs";
export { Mcp } from "./mcp.mjs";
export { judge, LEVELS } from "./compare.mjs";
export { run } from "./run.mjs";
