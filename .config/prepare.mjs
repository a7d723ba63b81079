// Runs where npm makes something of this tree: after `npm install` in a clone, before a package is made from git,
// and for `npm install -g .`, which only links it and installs nothing. Builds what is not built yet.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Whoever links the clone anew after a pull wants what it says now. */
const global = process.env.npm_config_global === "true";
if (global || !existsSync("dist/cli/main.cjs")) {
  // What npm was told for the link (--global, --prefix, --omit) is not meant for the tree itself.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_config_(global|prefix|local_prefix|location|omit|production)$/i.test(name)),
  );
  const run = (command) => execSync(command, { stdio: ["ignore", "inherit", "inherit"], env });
  if (!existsSync("node_modules/esbuild")) run("npm ci --include=dev --ignore-scripts");
  run("npm run --silent build");
}
