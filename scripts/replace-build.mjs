import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Moves the files of the new build `from` into `dist`. Processes that run the replaced build continue: each file is replaced
 * by one rename, the entry last, and the code of a replaced build stays in its folder of `builds` for {@link KEPT_DAYS} days.
 */
export function replaceBuild(dist, from) {
  const files = filesIn(from).toSorted((one, other) => rank(one) - rank(other));
  const [current] = readdirSync(path.join(from, "builds"));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(dist, file)), { recursive: true });
    renameSync(path.join(from, file), path.join(dist, file));
  }
  for (const file of filesIn(dist)) {
    if (!isOfBuild(file) && !files.includes(file)) rmSync(path.join(dist, file));
  }
  for (const name of readdirSync(path.join(dist, "builds"))) {
    const folder = path.join(dist, "builds", name);
    const mark = path.join(folder, ".npmignore");
    if (name === current) rmSync(mark, { force: true });
    // npm does not publish it. The time of this file is that of the replacement.
    else if (!existsSync(mark)) writeFileSync(mark, "*\n");
    else if (Date.now() - statSync(mark).mtimeMs > KEPT_DAYS * 86_400_000) rmSync(folder, { recursive: true });
  }
}

const KEPT_DAYS = 7;

/** All files in a folder, by relative path. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

function isOfBuild(file) {
  return file.startsWith(`builds${path.sep}`);
}

/** Code first, then everything else, then the entry that loads the code. */
function rank(file) {
  if (isOfBuild(file)) return 0;
  return file === path.join("cli", "main.cjs") ? 2 : 1;
}
