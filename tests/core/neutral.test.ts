import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";

const SRC = path.join(import.meta.dirname, "..", "..", "src");

/** Words of one backend, which are its own affair. */
const FOREIGN = /claude|anthropic|simulat|client.?version/i;

/** Variables that no attribute may set, whichever agent a script calls (docs/protocol.md, "Reserved attribute names"). */
const RESERVED = /"(?:CLAUDECODE|CLAUDE_|ANTHROPIC_)"/g;

it.each(["core", "engine", "executors"])("no line of src/%s names a backend", async (room) => {
  const names = await readdir(path.join(SRC, room), { recursive: true });
  const named = await Promise.all(
    names
      .filter((name) => name.endsWith(".ts"))
      .map(async (name) => {
        const text = await readFile(path.join(SRC, room, name), "utf8");
        const lines = text.split("\n").map((line) => line.replaceAll(RESERVED, ""));
        return lines.filter((line) => FOREIGN.test(line)).map((line) => `${name}: ${line.trim()}`);
      }),
  );

  expect(named.flat()).toEqual([]);
});
