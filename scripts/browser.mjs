// `npm run test:browser`: the page of the dashboard in a real Chromium, which is installed from Debian where it is
// missing if possible. Otherwise this prints the reason and fails; with `--may-lack-chromium` it succeeds.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const CHROMIUM = process.env.RAYMOND_TEST_CHROMIUM ?? "/usr/bin/chromium";
const [mayLack, words] = [process.argv.includes("--may-lack-chromium"), process.argv.slice(2).filter((word) => word !== "--may-lack-chromium")];

const lacking = prepare();
if (lacking !== null) {
  console.log(`test:browser: nothing was run, for ${lacking}`);
  process.exitCode = mayLack ? 0 : 1;
} else {
  const env = { ...process.env, RAYMOND_TEST_CHROMIUM: CHROMIUM };
  process.exitCode = spawnSync("npx", ["vitest", "run", "--project", "browser", ...words], { stdio: "inherit", env }).status ?? 1;
}

/** Why there is no Chromium; null when there is. */
function prepare() {
  if (existsSync(CHROMIUM)) return null;
  if (process.env.RAYMOND_TEST_CHROMIUM !== undefined) return `RAYMOND_TEST_CHROMIUM names ${CHROMIUM}, and there is nothing`;
  if (process.getuid?.() !== 0 || call("apt-get", ["--version"]) !== null) {
    return "Chromium is not here, and only root can install it, from Debian (RAYMOND_TEST_CHROMIUM names another)";
  }
  console.log("test:browser: installs Chromium from Debian …");
  const install = ["install", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu-core"];
  const problem = call("apt-get", ["update"]) ?? call("apt-get", install);
  if (problem !== null) return `Chromium cannot be installed (${problem})`;
  return existsSync(CHROMIUM) ? null : `the package of Debian has no ${CHROMIUM}`;
}

/** Null, or why it has failed. */
function call(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, error, stderr } = spawnSync(command, args, { env, encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? stderr.trim().split("\n").at(-1) ?? `status ${String(status)}`;
}
