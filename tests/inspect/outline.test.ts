import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { outline } from "../../src/inspect/outline.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { tempFolder } from "../support/folders.ts";

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}

describe("outline", () => {
  it("reads all states of a workflow, with their problems", async () => {
    const cwd = await folderOf({
      "START.md": "<goto>NEXT</goto>",
      "NEXT.md": "---\neffort: hihg\n---\nx",
      "OTHER.sh": "true",
      "OTHER.bat": "rem",
    });

    const { entry, states, names } = await outline(".", thisProcess({ cwd }));

    expect(entry).toEqual({ ok: true, name: "START.md" });
    expect(names).toEqual(["NEXT.md", "OTHER.bat", "OTHER.sh", "START.md"]);
    expect(states.map(({ name, ok }) => [name, ok])).toEqual([
      ["NEXT.md", false],
      ["OTHER.sh", true],
      ["START.md", true],
    ]);
    expect(states[0]).toMatchObject({ problem: { at: { line: 2, column: 9 } } });
  });

  it("uses the named state as the entry", async () => {
    const cwd = await folderOf({ "START.md": "x", "NEXT.md": "x" });

    expect(await outline("NEXT", thisProcess({ cwd }))).toMatchObject({
      entry: { ok: true, name: "NEXT.md" },
    });
  });

  it("reads a single file like a folder, with its line numbers", async () => {
    const flow =
      'states:\n  START:\n    prompt: |\n      Go.\n      <goto>END</goto>\n  END:\n    sh: echo "<result/>"\n';
    const cwd = await folderOf({ "flow.yaml": flow });

    const { states } = await outline("flow.yaml", thisProcess({ cwd }));

    expect(states.map((state) => state.ok && state.moves.map(({ at }) => at))).toEqual([
      [{ line: 7, column: 15 }],
      [{ line: 5, column: 7 }],
    ]);
  });
});
