// Draws the layers and their imports into docs/architecture.md; with --check it only compares.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { layers } from "../.dependency-cruiser.mjs";

const FILE = "docs/architecture.md";
const json = execFileSync(
  "npx",
  ["depcruise", "--config", ".dependency-cruiser.mjs", "src", "-T", "json", "--include-only", "^src/"],
  { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, shell: process.platform === "win32" },
);
const top = [...layers].reverse();
const layerOf = (file) =>
  top.filter((layer) => file.startsWith(`src/${layer}/`)).sort((a, b) => b.length - a.length)[0] ?? null;
const below = new Map(layers.map((layer) => [layer, new Set()]));
for (const { source, dependencies } of JSON.parse(json).modules) {
  for (const { resolved } of dependencies) {
    const [from, to] = [layerOf(source), layerOf(resolved)];
    if (from && to && from !== to) below.get(from).add(to);
  }
}
const reaches = (from, to) => [...below.get(from)].some((next) => next === to || reaches(next, to));
// Only arrows that no other path implies: with all of them, the picture shows nothing.
const arrows = [...top].flatMap((from) =>
  [...below.get(from)]
    .filter((to) => ![...below.get(from)].some((other) => other !== to && reaches(other, to)))
    .sort((a, b) => layers.indexOf(b) - layers.indexOf(a))
    .map((to) => `  ${from} --> ${to}`),
);
const picture = ["```mermaid", "flowchart TD", ...arrows, "```"].join("\n");
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
