import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";

/** What a build is made of; the lock file names the versions of all dependencies. */
const INPUTS = ["package.json", "package-lock.json", "src"];

/**
 * The beginning of the hash of all source files, as hex: the same for the same source on any machine. No commit, for
 * a build can have changes that are in none, and a copy of the source may have no repository.
 */
export function buildHash() {
  const hash = createHash("sha256");
  for (const file of INPUTS.filter((input) => existsSync(input)).flatMap(filesIn)) {
    hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex").slice(0, 8);
}

function filesIn(place) {
  if (!statSync(place).isDirectory()) return [place];
  const names = readdirSync(place).toSorted();
  return names.flatMap((name) => filesIn(`${place}/${name}`));
}
