import { execFile } from "node:child_process";
import { cp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
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

  it("uses the code caches of its build in any location", async () => {
    const installed = await copyOfPackage();

    const said = await run(installed, "--require", await hook(PRINT_ACCEPTED));

    expect(said.stderr).toMatch(/^of ([1-9]\d*) caches \1 were accepted$/m);
  });

  it("writes the code caches that are missing for this Node, and starts from them", async () => {
    const installed = await copyOfPackage();
    await rm(caches(installed), { recursive: true });

    await run(installed);
    const said = await run(installed, "--require", await hook(PRINT_ACCEPTED));

    expect(said.stderr).toMatch(/^of ([1-9]\d*) caches \1 were accepted$/m);
    const files = await readdir(caches(installed), { recursive: true });
    expect(files.filter((name) => /\.bin\.\d+$/.test(name))).toEqual([]);
  });

  it("publishes neither code caches of one Node version, nor source maps, nor test cases", async () => {
    const { stdout } = await promisify(execFile)("npm", [...PACK], { cwd: ROOT, shell: WINDOWS });
    const [pack] = packSchema.parse(JSON.parse(stdout));

    const names = pack.files.map(({ path: name }) => name);
    expect(names).toContain("dist/raymond.1");
    expect(names.filter((name) => /^dist\/code-cache|\.map$|test_cases/.test(name))).toEqual([]);
    // A linked clone and a tarball run no script of ours on install.
    const { scripts } = manifestSchema.parse(
      JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8")),
    );
    expect(Object.keys(scripts)).not.toContain("prepare");
  });

  it("does the same without code caches, with broken ones, and under flags that they are not for", async () => {
    const whole = await run(await copyOfPackage());
    expect(whole.code).toBe(0);

    const without = await copyOfPackage();
    await rm(caches(without), { recursive: true });
    expect(await run(without)).toEqual(whole);

    const torn = await copyOfPackage();
    const files = await readdir(caches(torn), { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      await truncate(path.join(file.parentPath, file.name), 1_000);
    }
    expect(await run(torn)).toEqual(whole);

    expect(await run(torn, "--max-old-space-size=300")).toEqual(whole);
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

  it("loads for a script neither zod, nor readers of YAML, TOML and zips, nor the client", async () => {
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
    const heavy =
      /(?:zod|yaml|smol-toml|gray-matter|execa)\/|claude\/stream\.ts|scopes\/zip|simulation\//;
    expect(said.stderr).not.toMatch(heavy);
  });

  it("loads few files for a script step", async () => {
    const folder = await tempFolder();
    const script = path.join(folder, process.platform === "win32" ? "START.bat" : "START.sh");
    await writeFile(script, "echo '<result>done</result>'");
    const installed = await copyOfPackage();
    const words = [script, "--quiet", "--state-dir", folder];

    const said = await runWords(installed, ["--require", await hook(PRINT_ACCEPTED)], words);

    expect(said.stderr).toMatch(/^of [3-6] caches /m);
  });

  it("has files of nothing but ASCII, for they are read as if they were", async () => {
    const dist = path.join(ROOT, "dist");
    const names = await readdir(dist, { recursive: true });
    const files = names.filter((name) => name.endsWith(".cjs"));
    const texts = await Promise.all(files.map((name) => readFile(path.join(dist, name), "utf8")));

    const others = files.filter((_, index) => /[\u0080-\uffff]/.test(texts[index] ?? ""));
    expect(others).toEqual([]);
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

/** Writes on standard error how many code caches V8 took. */
const PRINT_ACCEPTED = `process.on("exit", () => {
  const { files } = require(require("node:path").join(process.argv[1], "../../dist/cli/main.cjs"));
  const accepted = files.filter(({ script }) => script.cachedDataRejected === false);
  process.stderr.write("of " + files.length + " caches " + accepted.length + " were accepted");
});`;

/** Writes on standard error which sources are in the files that were loaded. */
const PRINT_SOURCES = `process.on("exit", () => {
  const { readFileSync } = require("node:fs");
  const path = require("node:path");
  const dist = path.join(process.argv[1], "../../dist");
  for (const { name } of require(path.join(dist, "cli/main.cjs")).files) {
    const map = JSON.parse(readFileSync(path.join(dist, "packs", name + ".map"), "utf8"));
    process.stderr.write(map.sources.join("\\n") + "\\n");
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
    await cp(path.join(ROOT, name), path.join(folder, name), {
      recursive: true,
      filter: (file) => !TEMPORARY.test(file),
    });
  }
  return path.join(folder, "bin", "raymond.js");
}

/** A code cache that a raymond of another test is writing, before it is renamed. */
const TEMPORARY = /\.bin\.\d+$/;

function caches(program: string): string {
  return path.join(program, "..", "..", "dist", "code-cache");
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
