#!/usr/bin/env node
// CommonJS (package.json beside it says so): Node's other loader takes longer to begin than all that follows.
const { existsSync } = require("node:fs");
const path = require("node:path");

// A clone that is linked, or called by its path, may not be built: that is no bug, and needs no stack.
const main = path.join(__dirname, "../dist/cli/main.cjs");
if (existsSync(main)) {
  require(main);
} else {
  const here = path.join(__dirname, "..", path.sep);
  console.error(`error: raymond is not built yet: there is no dist in ${here}`);
  console.error(`hint: Build it once: cd "${here}" && npm ci && npm run build`);
  process.exitCode = 2;
}
