#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// A clone that is linked, or called by its path, may not be built: that is no bug, and needs no stack.
const main = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  const here = fileURLToPath(new URL("..", import.meta.url));
  console.error(`error: raymond is not built yet: there is no dist in ${here}`);
  console.error(`hint: Build it once: cd "${here}" && npm ci && npm run build`);
  process.exitCode = 2;
}
