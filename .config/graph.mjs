// Draws the rooms and their imports into docs/architecture.md; with --check it only compares.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "docs/architecture.md";
const json = execFileSync(
  "npx",
  ["depcruise", "--config", ".dependency-cruiser.mjs", "src", "-T", "json", "--include-only", "^src/"],
  { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, shell: process.platform === "win32" },
);
const room = (file) => file.match(/^src\/(core\/[^/]+|[^/]+)\//)?.[1] ?? null;
const arrows = new Set();
for (const { source, dependencies } of JSON.parse(json).modules) {
  for (const { resolved } of dependencies) {
    const [from, to] = [room(source), room(resolved)];
    // What everybody uses would only hide the rest.
    if (from && to && from !== to && !to.startsWith("core/errors")) arrows.add(`  ${from} --> ${to}`);
  }
}
const picture = ["```mermaid", "flowchart TD", ...[...arrows].sort(), "```"].join("\n");
const text = readFileSync(FILE, "utf8");
const drawn = text.replace(/```mermaid\n[\s\S]*?\n```|IMPORT_GRAPH/, picture);
if (process.argv.includes("--check")) {
  if (drawn !== text) {
    console.error(`${FILE} shows other imports than the code has: npm run graph`);
    process.exitCode = 1;
  }
} else {
  writeFileSync(FILE, drawn);
}
