import { execFile } from "node:child_process";
import { cp, readdir, readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import path from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tempFolder } from "../support/folders.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** What of a package decides what npm installs beside it. */
const manifestSchema = z.looseObject({
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()),
});

function run(file: string): Promise<{ readonly code: unknown; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file, "list"], (error, _, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stderr });
    });
  });
}

describe("what ships", () => {
  it("says how to build it where it is not built, and shows no stack", async () => {
    const clone = await tempFolder();
    await cp(path.join(ROOT, "bin"), path.join(clone, "bin"), { recursive: true });
    await cp(path.join(ROOT, "package.json"), path.join(clone, "package.json"));

    const said = await run(path.join(clone, "bin", "raymond.js"));

    expect(said.code).toBe(2);
    expect(said.stderr).toMatch(/^error: raymond is not built yet: .*\nhint: .*npm run build\n$/);
    expect(said.stderr).toContain(clone);
  });

  it("depends on nothing, for all that it needs is in its bundle", async () => {
    const text = await readFile(path.join(ROOT, "package.json"), "utf8");
    const manifest = manifestSchema.parse(JSON.parse(text));

    expect(manifest.dependencies).toBeUndefined();
    expect(await foreignImports(".js")).toEqual([]);
  });

  it("has types that need no other package", async () => {
    expect(await foreignImports(".d.ts")).toEqual([]);
  });

  it("carries the licence of each package that it bundles", async () => {
    const licences = await readFile(path.join(ROOT, "dist", "LICENCES.txt"), "utf8");

    for (const name of ["commander", "execa", "gray-matter", "smol-toml", "yaml", "zod"]) {
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
    }
    expect(licences).toContain("Permission is hereby granted");
  });
});

/** What files of the build import that is neither theirs nor Node's. */
async function foreignImports(ending: string): Promise<readonly string[]> {
  const dist = path.join(ROOT, "dist");
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(ending));
  expect(files.length).toBeGreaterThan(5);
  const texts = await Promise.all(files.map((file) => readFile(path.join(dist, file), "utf8")));
  const imports = texts.flatMap((text) => ts.preProcessFile(text).importedFiles);
  const names = imports.map(({ fileName }) => fileName);
  return [...new Set(names.filter((name) => !name.startsWith(".") && !isNodes(name)))];
}

function isNodes(name: string): boolean {
  return name.startsWith("node:") || builtinModules.includes(name);
}
