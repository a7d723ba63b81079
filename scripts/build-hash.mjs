import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";

/** Inputs of a build; the lock file pins the versions of all dependencies. */
const INPUTS = ["package.json", "package-lock.json", "scripts", "src"];

/**
 * The first 8 hex digits of a hash of all source files, equal for equal sources on any machine. Not a commit id: a
 * build can contain uncommitted changes, and a copy of the source may have no repository.
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
