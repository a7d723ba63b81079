// `npm run test:nodes`: the tests that depend most on Node itself, on the other supported versions of Node.
// `npm run test:nodes -- --full` runs all tests except those of browsers, other systems and other coding agents.
// `--newest`: only the newest version.
// Other words are passed to vitest: npm run test:nodes -- tests/process
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import path from "node:path";

const VERSIONS = ["20.20.2", "22.23.3", "24.21.0"];
/** Processes, signals, files, module loading and flags of V8. */
const FILES = [
  "tests/process/",
  "tests/launch/",
  ...["storage/file", "storage/disk", "e2e/failures/crash", "e2e/package"].map((name) => `tests/${name}.test.ts`),
];
const PROJECTS = ["core", "shell", "processes", "fleet", "e2e", ...(process.argv.includes("--full") ? ["slow", "claude"] : [])];
const CACHE = path.resolve(import.meta.dirname, "..", ".cache", "nodes");

const full = process.argv.includes("--full");
const words = process.argv.slice(2).filter((word) => !["--full", "--newest"].includes(word));
const running = `v${major(process.version.slice(1))}.`;

const others = VERSIONS.filter((each) => !`v${each}`.startsWith(running));
const versions = process.argv.includes("--newest") ? others.slice(-1) : others;
const folders = versions.map(install);
// One after the other: each builds raymond into the same folder.
const passed = versions.map((version, index) => test(version, folders[index]));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Whether the tests pass with this version. */
function test(version, folder) {
  const selected = words.length > 0 ? words : full ? [] : FILES;
  const args = ["node_modules/vitest/vitest.mjs", "run", ...PROJECTS.flatMap((name) => ["--project", name]), ...selected];
  const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
  const report = process.env.RAYMOND_TEST_REPORT;
  // A report of its own for each version: node.json becomes node-22.json.
  if (report !== undefined) env.RAYMOND_TEST_REPORT = report.replace(/\.json$/, `-${major(version)}.json`);
  console.log(`test:nodes: Node ${version}`);
  return spawnSync(path.join(folder, executable()), args, { stdio: ["ignore", "inherit", "inherit"], env }).status === 0;
}

/** The folder of the executable. npm provides Node as a package per platform. */
function install(version) {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const target = path.join(CACHE, `${name}-${version}`);
  const folder = process.platform === "win32" ? target : path.join(target, "bin");
  if (existsSync(path.join(folder, executable()))) return folder;
  mkdirSync(CACHE, { recursive: true });
  const temporary = mkdtempSync(path.join(CACHE, "download-"));
  try {
    call("npm", ["pack", "--silent", "--pack-destination", temporary, `${name}@${version}`]);
    call("tar", ["xzf", path.join(temporary, `${name}-${version}.tgz`), "-C", temporary]);
    rmSync(target, { recursive: true, force: true });
    renameSync(path.join(temporary, "package"), target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

function call(command, args) {
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8", shell: process.platform === "win32" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? stderr.trim()}`);
}

function executable() {
  return process.platform === "win32" ? "node.exe" : "node";
}

function major(version) {
  return version.split(".")[0];
}
