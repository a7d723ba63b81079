import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tempFolder } from "../support/folders.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** What of a package decides what npm installs beside it. */
const manifestSchema = z.looseObject({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()),
});

const packSchema = z.tuple([
  z.looseObject({ files: z.array(z.looseObject({ path: z.string() })) }),
]);

const WINDOWS = process.platform === "win32";
const PACK = ["pack", "--dry-run", "--json", "--ignore-scripts"] as const;

interface Said {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, ...flagsOfNode: readonly string[]): Promise<Said> {
  return runWords(file, flagsOfNode, ["list"]);
}

function runWords(
  file: string,
  flagsOfNode: readonly string[],
  words: readonly string[],
): Promise<Said> {
  return new Promise((resolve) => {
    // A variable of the tests would be warned about, by code that a run does not load otherwise.
    const isOwn = ([name]: readonly [string, unknown]) => !name.startsWith("RAYMOND_");
    const env = Object.fromEntries(Object.entries(process.env).filter(isOwn));
    execFile(
      process.execPath,
      [...flagsOfNode, file, ...words],
      { env },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : error.code, stdout, stderr });
      },
    );
  });
}

describe("the published package", () => {
  it("shows how to build it if it is not built, without a stack", async () => {
    const clone = await tempFolder();
    await cp(path.join(ROOT, "bin"), path.join(clone, "bin"), { recursive: true });
    await cp(path.join(ROOT, "package.json"), path.join(clone, "package.json"));

    const said = await run(path.join(clone, "bin", "raymond.js"));

    expect(said.code).toBe(2);
    expect(said.stderr).toMatch(/^error: raymond is not built yet: .*\nhint: .*npm run build\n$/);
    expect(said.stderr).toContain(clone);
  });

  it("publishes neither earlier builds, compile caches, source maps nor test cases", async () => {
    const clone = path.dirname(path.dirname(await copyOfPackage()));
    // Other builds are marked as replaced.
    const marked = (build: string) =>
      existsSync(path.join(clone, "dist/builds", build, ".npmignore"));
    const current = (await buildsOf(clone)).find((build) => !marked(build)) ?? "";
    const earlier = path.join(clone, "dist/builds/earlier");
    await mkdir(earlier);
    await writeFile(path.join(earlier, "main.cjs"), "");
    await writeFile(path.join(earlier, ".npmignore"), "*\n");
    const cache = path.join(clone, "dist/builds", current, "compile-cache");
    await mkdir(cache, { recursive: true });
    await writeFile(path.join(cache, "cached"), "");

    const { stdout } = await promisify(execFile)("npm", [...PACK], { cwd: clone, shell: WINDOWS });
    const [pack] = packSchema.parse(JSON.parse(stdout));

    const names = pack.files.map(({ path: name }) => name);
    expect(names).toContain("dist/raymond.1");
    expect(names).toContain(`dist/builds/${current}/main.cjs`);
    expect(names.filter((name) => /earlier|compile-cache|\.map$|test_cases/.test(name))).toEqual(
      [],
    );
    // A linked clone and a tarball run no script of ours on install.
    const { scripts } = manifestSchema.parse(
      JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")),
    );
    expect(Object.keys(scripts)).not.toContain("prepare");
  });

  it("names the source in the stack of a bug", async () => {
    const installed = await copyOfPackage();

    const said = await run(installed, "--require", await hook(BREAK_DISK));

    expect(said.code).toBe(70);
    expect(said.stderr).toMatch(/TypeError: broken\n.*\n *at .*src\/storage\/disk\.ts:\d+:\d+/);
    expect(said.stderr).toMatch(
      /at (?:async )?listCommand \(.*src\/cli\/commands\/inspect\/list\.ts:\d+:\d+/,
    );
    expect(said.stderr).not.toMatch(/\bdist\b/);
  });

  it("loads for a script neither the dashboard nor the fleet", async () => {
    const folder = await tempFolder();
    const windows = process.platform === "win32";
    const script = path.join(folder, windows ? "START.bat" : "START.sh");
    const text = windows ? "@echo ^<result^>done^</result^>" : "echo '<result>done</result>'";
    await writeFile(script, text);
    const installed = await copyOfPackage();
    const words = [script, "--quiet", "--state-dir", folder];

    const said = await runWords(installed, ["--require", await hook(PRINT_SOURCES)], words);

    expect(said.code).toBe(0);
    expect(said.stderr).toContain("src/engine/executors/script.ts");
    const heavy = /(?:dagre|hono|micromark|ajv)\/|src\/(?:dashboard|fleet\/worker|author)\//;
    expect(said.stderr).not.toMatch(heavy);
  });

  it("reports a bug when it waits for an event that cannot occur", async () => {
    const installed = await copyOfPackage();

    const said = await run(installed, "--require", await hook(NEVER_ANSWER));

    expect(said.code).toBe(70);
    expect(said.stderr).toMatch(/^Error: No event is pending[\s\S]*a bug in raymond/);
  });

  it("depends on nothing, for all that it needs is in its bundle", async () => {
    const text = await readFile(path.join(ROOT, "package.json"), "utf8");
    const manifest = manifestSchema.parse(JSON.parse(text));

    expect(manifest.dependencies).toBeUndefined();
    expect(await foreignImports(".cjs")).toEqual([]);
    expect(await foreignImports(".js")).toEqual([]);
  });

  it("has types that need no other package", async () => {
    expect(await foreignImports(".d.ts")).toEqual([]);
  });

  it("carries the licence of each package that it bundles", async () => {
    const licences = await readFile(path.join(ROOT, "dist", "LICENCES.txt"), "utf8");

    for (const name of [
      "commander",
      "execa",
      "gray-matter",
      "preact",
      "smol-toml",
      "yaml",
      "zod",
    ]) {
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
    }
    expect(licences).toContain("Permission is hereby granted");
  });
});

/** Writes on standard error which sources are in the files that were loaded. */
const PRINT_SOURCES = `process.on("exit", () => {
  const { existsSync, readFileSync } = require("node:fs");
  for (const file of Object.keys(require.cache).filter((name) => existsSync(name + ".map"))) {
    process.stderr.write(JSON.parse(readFileSync(file + ".map", "utf8")).sources.join("\\n") + "\\n");
  }
});`;

/** A bug in the middle of \`raymond list\`, whose stack is not cut before the command. */
const BREAK_DISK = `Error.stackTraceLimit = 20;
require("node:fs").readdirSync = () => { throw new TypeError("broken"); };`;

const NEVER_ANSWER = `require("node:fs").readdirSync = () => new Promise(() => undefined);`;

/** A file that Node loads before raymond. */
async function hook(text: string): Promise<string> {
  const file = path.join(await tempFolder(), "hook.cjs");
  await writeFile(file, text);
  return file;
}

/** Copies the built package to another location. Returns the path of its program. */
async function copyOfPackage(): Promise<string> {
  const folder = await tempFolder();
  for (const name of ["bin", "dist", "package.json"]) {
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  return path.join(folder, "bin", "raymond.js");
}

async function buildsOf(folder: string): Promise<readonly string[]> {
  return readdir(path.join(folder, "dist/builds"));
}

/** What files of the build import that is neither theirs nor Node's. */
async function foreignImports(ending: string): Promise<readonly string[]> {
  const dist = path.join(ROOT, "dist");
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(ending));
  expect(files).not.toEqual([]);
  const texts = await Promise.all(files.map((file) => readFile(path.join(dist, file), "utf8")));
  const imports = texts.flatMap((text) => ts.preProcessFile(text, true, true).importedFiles);
  const names = imports.map(({ fileName }) => fileName);
  return [...new Set(names.filter((name) => !name.startsWith(".") && !isNodes(name)))];
}

function isNodes(name: string): boolean {
  return name.startsWith("node:") || builtinModules.includes(name);
}
