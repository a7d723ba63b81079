import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCached } from "../../src/launch/code-cache.ts";
import { tempFolder } from "../support/folders.ts";

const OTHER = "chunks/other.cjs";
/** Keeps what it requires where the test finds it, for it is loaded when something of it is first asked for. */
const MAIN = 'globalThis.kept = require("../chunks/other.cjs");';

describe("a chunk that cannot be loaded", () => {
  it("is loaded by a later attempt if that succeeds", async () => {
    const dist = await distOf({ "cli/main.cjs": MAIN });
    const other = requiredBy(dist);

    expect(() => other["answer"]).toThrow(/ENOENT.*other\.cjs/);
    await writeFile(path.join(dist, OTHER), "exports.answer = 42;");

    expect(other["answer"]).toBe(42);
  });

  it("throws its error again instead of returning an empty module", async () => {
    const broken = 'exports.half = 1; throw new Error("broken");';
    const other = requiredBy(await distOf({ "cli/main.cjs": MAIN, [OTHER]: broken }));

    expect(() => other["answer"]).toThrow("broken");
    expect(() => other["answer"]).toThrow("broken");
  });
});

/** What the main file of such a folder requires. */
function requiredBy(dist: string): Readonly<Record<string, unknown>> {
  const world = globalThis as { kept?: Readonly<Record<string, unknown>> };
  onTestFinished(() => {
    delete world.kept;
  });
  runCached(dist, "cli/main.cjs");
  return world.kept ?? {};
}

async function distOf(files: Readonly<Record<string, string>>): Promise<string> {
  const dist = await tempFolder();
  for (const folder of ["cli", "chunks"]) await mkdir(path.join(dist, folder));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(dist, name), text);
  return dist;
}
