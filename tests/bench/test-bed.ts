import { execFile } from "node:child_process";
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { type Checkout, HERE } from "./builds.ts";
import { costOf, type Program } from "./measure.ts";

/** A temporary folder with the built raymond, the baseline program and a project. */
export interface TestBed {
  readonly root: string;
  /** The built raymond. */
  raymond(...args: readonly string[]): Program;
  /** The same in a pseudo-terminal; requires `script` of util-linux. */
  onTerminal(...args: readonly string[]): Program;
  /** See `floor.ts`. */
  floor(...args: readonly (string | number)[]): Program;
  node(...args: readonly string[]): Program;
  /** The program of `--peer`, which runs this workflow; none without it. */
  peer(workflow: string): { readonly peer?: Program };
  /** Runs a workflow once without measuring. */
  runOnce(workflow: string, ...args: readonly string[]): Promise<void>;
  /** Writes a workflow with these files. Returns its folder. */
  workflow(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Size of the state file of the last run, bytes. */
  stateBytes(): Promise<number>;
  remove(): Promise<void>;
}

export interface TestBedOptions {
  /** Default: this one, which is built. */
  readonly checkout?: Pick<Checkout, "folder" | "isBuilt">;
  /** The command of another runner, to which the path of a workflow is added. */
  readonly peer?: string | null;
  /** Do nothing instead of the baseline: two builds are compared with each other. */
  readonly noFloor?: boolean;
}

/** Builds raymond and the baseline program into a new folder. */
export async function makeTestBed({
  checkout = { folder: HERE, isBuilt: false },
  peer = null,
  noFloor = false,
}: TestBedOptions = {}): Promise<TestBed> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "raymond-bench-")));
  const cwd = path.join(root, "project");
  // A separate repository: files of the runs stay inside.
  await mkdir(path.join(cwd, ".git"), { recursive: true });
  await writeFile(path.join(cwd, ".git", "HEAD"), "");
  await buildInto(root, checkout);
  const program = (...args: readonly (string | number)[]): Program => {
    return { args: args.map(String), cwd };
  };
  return {
    root,
    raymond: (...args) => program(path.join(root, "bin", "raymond.js"), ...args),
    onTerminal: (...args) => {
      return program("-e", ON_TERMINAL, path.join(root, "bin", "raymond.js"), ...args);
    },
    floor: (...args) => {
      return noFloor ? program("-e", "0") : program(path.join(root, "floor.js"), ...args);
    },
    node: program,
    peer: (workflow) =>
      peer === null ? {} : { peer: { ...program(peer, workflow), isCommand: true } },
    runOnce: async (workflow, ...args) => {
      await costOf(program(path.join(root, "bin", "raymond.js"), workflow, "--quiet", ...args));
    },
    workflow: async (name, files) => {
      const folder = path.join(root, "workflows", name);
      await mkdir(folder, { recursive: true });
      for (const [file, text] of Object.entries(files)) {
        await writeFile(path.join(folder, file), text);
      }
      return folder;
    },
    stateBytes: () => sizeOfNewest(path.join(cwd, ".raymond", "workflows")),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Measures raymond, not the `script` process around it. */
const ON_TERMINAL = `
const report = process.env.BENCH_REPORT;
const words = [process.execPath, "--require", report + ".cjs", ...process.argv.slice(1)];
const line = "stty cols 100 rows 30; exec " + words.map((word) => "'" + word + "'").join(" ");
const { status } = require("node:child_process").spawnSync("script", ["-qefc", line, "/dev/null"], {
  env: { ...process.env, TERM: "xterm", CI: "" },
  stdio: ["ignore", "ignore", "inherit"],
});
process.env.BENCH_REPORT = require("node:os").devNull;
process.exitCode = status ?? 1;
`;

async function buildInto(
  root: string,
  { folder, isBuilt }: Pick<Checkout, "folder" | "isBuilt">,
): Promise<void> {
  await mkdir(path.join(root, "bin"));
  const bin = ["raymond.js", "package.json"].map((name) => path.join("bin", name));
  for (const file of ["package.json", ...bin]) {
    await copyFile(path.join(folder, file), path.join(root, file));
  }
  // Not into `dist` of the checkout: a concurrent build would replace it.
  const dist = path.join(root, "dist");
  const words = [path.join("scripts", "build.mjs"), "--no-types", `--outdir=${dist}`];
  if (isBuilt) await cp(path.join(folder, "dist"), dist, { recursive: true });
  else await promisify(execFile)(process.execPath, words, { cwd: folder });
  await build({
    entryPoints: [path.join(import.meta.dirname, "floor.ts")],
    outfile: path.join(root, "floor.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
  });
}

async function sizeOfNewest(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  const found = await Promise.all(names.map((name) => stat(path.join(folder, name))));
  const [newest] = found.toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  if (newest === undefined) throw new Error(`There is no run in ${folder}`);
  return newest.size;
}
