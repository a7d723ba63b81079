import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCached } from "../../src/launch/code-cache.ts";
import { tempFolder } from "../support/folders.ts";

const OTHER = "other.cjs";
/** Keeps what it requires where the test finds it, for it is loaded when something of it is first asked for. */
const MAIN = 'globalThis.kept = require("./other.cjs");';

describe("a file that cannot be loaded", () => {
  it("is loaded by a later attempt if that succeeds", async () => {
    const dist = await distOf({ "main.cjs": MAIN });
    const other = requiredBy(dist);

    expect(() => other["answer"]).toThrow(/ENOENT.*other\.cjs/);
    await writeFile(path.join(dist, "packs", OTHER), "exports.answer = 42;");

    expect(other["answer"]).toBe(42);
  });

  it("throws its error again instead of returning an empty module", async () => {
    const broken = 'exports.half = 1; throw new Error("broken");';
    const other = requiredBy(await distOf({ "main.cjs": MAIN, [OTHER]: broken }));

    expect(() => other["answer"]).toThrow("broken");
    expect(() => other["answer"]).toThrow("broken");
  });
});

describe("a variable for another file", () => {
  it("is the module itself as soon as something of it was used", async () => {
    const main = `let other = require("./other.cjs");
globalThis.kept = { use: () => other.answer, self: () => other };
require("./other.cjs", (module) => { other = module; });`;
    const files = { "main.cjs": main, [OTHER]: "exports.answer = 42; exports.self = exports;" };
    const kept = requiredBy(await distOf(files)) as {
      use: () => unknown;
      self: () => { self: unknown };
    };

    const before = kept.self();
    expect(before).not.toBe(before.self);
    expect(kept.use()).toBe(42);
    expect(kept.self()).toBe(before.self);
  });
});

/** What the main file of such a folder requires. */
function requiredBy(dist: string): Readonly<Record<string, unknown>> {
  const world = globalThis as { kept?: Readonly<Record<string, unknown>> };
  onTestFinished(() => {
    delete world.kept;
  });
  runCached(dist, "main.cjs");
  return world.kept ?? {};
}

async function distOf(files: Readonly<Record<string, string>>): Promise<string> {
  const dist = await tempFolder();
  await mkdir(path.join(dist, "packs"));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(path.join(dist, "packs", name), text);
  }
  return dist;
}
