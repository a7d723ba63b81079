// Fails on words that the writing guide replaces by a standard term (docs/contributing.md, "Conventions").
// `--all` lists all of them. Words inside identifiers count: camelCase, snake_case and kebab-case are split first.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Lines of "pattern TAB what to write instead". */
const WORDS = readFileSync(new URL("words.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("\t"));

/** Allowed by folder: the name of a Unix user. */
const LIMITS = { src: 2, tests: 10 };

/** Recorded output of other programs, and generated files. */
const SKIPPED = /(^|\/)(golden|fixtures|corpus)\/|package-lock|\.(svg|png|ico)$|LICENSE/;
const CHECKED = /\.(tsx?|mjs|cjs|js|md|txt|ya?ml|toml|json|sh|css|html)$/;

const pattern = new RegExp(`\\b(?:${WORDS.map(([word]) => `(${word})`).join("|")})(?![a-z])`, "gi");
const split = (text) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/[_-]/g, " ");

const files = execFileSync("git", ["ls-files"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => CHECKED.test(file) && !SKIPPED.test(file));
const found = new Map();
for (const file of files) {
  const folder = file.includes("/") ? file.slice(0, file.indexOf("/")) : ".";
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    for (const [word, ...groups] of split(line).matchAll(pattern)) {
      const [, use] = WORDS[groups.findIndex((group) => group !== undefined)];
      const place = `${file}:${String(index + 1)}: "${word}": write ${use}`;
      found.set(folder, [...(found.get(folder) ?? []), place]);
    }
  }
}
for (const [folder, places] of found) {
  const limit = LIMITS[folder] ?? 0;
  if (places.length <= limit && !process.argv.includes("--all")) continue;
  for (const place of places) console.error(place);
  console.error(`${folder}: ${String(places.length)} words, limit ${String(limit)}.`);
  process.exitCode = 1;
}
