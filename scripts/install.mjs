// Installs the dependencies of package-lock.json, unless they are installed. `npm test` and `npm run tour` start with it.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");

/** When a file was last changed, in ms since 1970. 0 if it does not exist. */
function changedAt(...names) {
  return statSync(path.join(root, ...names), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

// npm writes this file at the end of an installation.
if (changedAt("node_modules", ".package-lock.json") < changedAt("package-lock.json")) {
  console.log("Install the dependencies: npm ci");
  const { status } = spawnSync("npm ci --silent", { cwd: root, shell: true, stdio: "inherit" });
  if (status !== 0) {
    console.error(`error: "npm ci" failed with exit code ${status}`);
    process.exitCode = 1;
  }
}
