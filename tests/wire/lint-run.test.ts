import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { lint } from "../../src/author/lint.ts";
import { lookAhead } from "../../src/inspect/history/look-ahead.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { findSource, openWorkflow } from "../../src/wire/workflow.ts";
import { tempFolder } from "../support/folders.ts";
import { describedRules, placeExample } from "../support/workflow/lint-examples.ts";

const page = await readFile(path.join(import.meta.dirname, "../../docs/lint.md"), "utf8");

/** Errors of the files alone, which a run finds before it starts. */
const BEFORE_A_RUN = [
  "RAY101",
  "RAY102",
  "RAY103",
  "RAY109",
  "RAY201",
  "RAY202",
  "RAY203",
  "RAY204",
];

describe("a fault that a run finds before it starts", () => {
  const described = describedRules(page).filter(({ id }) => BEFORE_A_RUN.includes(id));
  // What only a tag of a text names, a run finds when it comes there.
  const declared = described.filter(({ id }) => id !== "RAY202" && id !== "RAY203");

  it.each(declared)("has the id of its finding in lint: $id", async ({ id, found }) => {
    const caller = thisProcess({ cwd: await tempFolder() });
    const workflow = await placeExample(found, path.join(caller.cwd, "flow"));

    const before = async () => {
      const { located } = await openWorkflow(workflow, null, caller);
      const { source } = await findSource(workflow, caller);
      await lookAhead(source, located.entry, workflow);
    };
    await expect(before()).rejects.toMatchObject({ code: `lint/${id}` });
  });
});

describe("lint of a folder", () => {
  it("finds links to nothing and extensions in capitals", async () => {
    const cwd = await tempFolder();
    const dir = path.join(cwd, "w");
    await mkdir(dir);
    await writeFile(path.join(dir, "START.md"), "End with <result>x</result>");
    await writeFile(path.join(dir, "OLD.SH"), "x");
    await symlink("nowhere", path.join(dir, "GONE.md"));

    const { findings } = await lint({ workflow: "w" }, thisProcess({ cwd }));

    expect(findings.map(({ rule, message }) => `${rule} ${message}`)).toEqual([
      'RAY110 "GONE.md" is ignored: it is a link to a missing file.',
      'RAY110 "OLD.SH" is ignored: its extension is not lowercase.',
    ]);
  });

  it("says so where that is all there is", async () => {
    const cwd = await tempFolder();
    await mkdir(path.join(cwd, "w"));
    await writeFile(path.join(cwd, "w", "START.MD"), "x");

    await expect(lint({ workflow: "w" }, thisProcess({ cwd }))).rejects.toMatchObject({
      hint: expect.stringContaining('Rename it to "START.md"') as unknown,
    });
  });
});
