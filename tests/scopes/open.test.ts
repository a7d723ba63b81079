import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type LocatedWorkflow, locateWorkflow } from "../../src/scopes/open.ts";
import { zipOf } from "../support/disk/zips.ts";
import { tempFolder } from "../support/folders.ts";

/** A folder with a workflow `flow`, a zip of another and a file that is neither. */
async function place(): Promise<string> {
  const top = await tempFolder();
  await mkdir(path.join(top, "flow"));
  for (const name of ["START.md", "step.sh", "step.bat", "both.md", "both.sh", "notes.txt"]) {
    await writeFile(path.join(top, "flow", name), `text of ${name}`);
  }
  await writeFile(path.join(top, "pack.zip"), zipOf({ "in/1_START.md": "zipped", "in/b.sh": "" }));
  await writeFile(path.join(top, "flow.md"), "beside the folder");
  await mkdir(path.join(top, "workflows", "nestde"), { recursive: true });
  await writeFile(path.join(top, "workflows", "README.md"), "about them");
  await writeFile(path.join(top, "workflows", "nestde", "START.md"), "below");
  await mkdir(path.join(top, "plain", "empty"), { recursive: true });
  return top;
}

const NAMES = ["START.md", "both.md", "both.sh", "step.bat", "step.sh"];

describe("locateWorkflow", () => {
  it("opens a folder at its first state, and runs it in place", async () => {
    const top = await place();

    const located = await locateWorkflow(path.join(top, "flow"), "unix");

    expect(located).toMatchObject({
      kind: "folder",
      path: path.join(top, "flow"),
      names: NAMES,
      entry: "START.md",
    });
    expect(await located.load("START.md")).toMatchObject({ body: "text of START.md" });
    expect(await located.place(artifactsIn(path.join(top, "run")))).toBe(path.join(top, "flow"));
  });

  it.each([
    ["a file", "flow/step.sh", "unix", "step.sh"],
    ["a file without its extension", "flow/step", "unix", "step.sh"],
    ["a file without its extension, on Windows", "flow/step", "windows", "step.bat"],
    ["a prompt without its extension", "flow/START", "unix", "START.md"],
  ] as const)("opens %s at that state", async (_, wanted, platform, entry) => {
    const top = await place();

    expect(await locateWorkflow(path.join(top, wanted), platform)).toMatchObject({
      kind: "folder",
      path: path.join(top, "flow", entry),
      names: NAMES,
      entry,
    });
  });

  it("prefers an existing path to an extension", async () => {
    const top = await place();

    expect(await locateWorkflow(path.join(top, "flow"), "unix")).toMatchObject({
      entry: "START.md",
    });
    expect(await locateWorkflow(path.join(top, "flow.md"), "unix")).toMatchObject({
      entry: "flow.md",
    });
  });

  it("opens a zip, and runs a copy that is independent of the original", async () => {
    const top = await place();
    const located = await locateWorkflow(path.join(top, "pack.zip"), "unix");
    expect(located).toMatchObject({
      kind: "zip",
      names: ["1_START.md", "b.sh"],
      entry: "1_START.md",
    });
    expect(await located.load("1_START.md")).toMatchObject({ body: "zipped" });

    await rm(path.join(top, "pack.zip"));
    const run = path.join(top, "run");
    const scope = await located.place(artifactsIn(run));

    expect(scope).toBe(path.join(run, "scope", "in"));
    expect((await readdir(scope)).sort()).toEqual(["1_START.md", "b.sh"]);
    expect((await readdir(run)).sort()).toEqual(["archive.zip", "scope"]);
    expect(await located.place(artifactsIn(run))).toBe(scope);
  });

  it.each([
    ["a folder", "flow", "step", "step.sh"],
    ["a folder, with the extension", "flow", "both.md", "both.md"],
    ["a folder without an entry", ".", "flow", "flow.md"],
    ["a zip", "pack.zip", "b", "b.sh"],
  ])("starts %s at the chosen state", async (_, wanted, start, entry) => {
    const located = await locateWorkflow(path.join(await place(), wanted), "unix", start);

    expect(located.entry).toBe(entry);
  });

  it.each([
    ["a state that is not there", "flow", "stpe", "workflow/unknown-state"],
    ["an empty name", "flow", "", "workflow/unknown-state"],
    ["a path", "flow", "flow/step.sh", "workflow/unknown-state"],
    ["a name that two states have", "flow", "both", "workflow/ambiguous-state"],
    ["a script of the other platform", "flow", "step.bat", "workflow/wrong-platform"],
    ["a start of a single state", "flow/step.sh", "START", "workflow/two-starts"],
    ["a start of a state without its extension", "flow/step", "step", "workflow/two-starts"],
  ])("rejects another start: %s", async (_, wanted, start, code) => {
    const named = path.join(await place(), wanted);

    await expect(locateWorkflow(named, "unix", start)).rejects.toMatchObject({ code });
  });

  it("reports a failed copy", async () => {
    const top = await place();
    const located = await locateWorkflow(path.join(top, "pack.zip"), "unix");

    await expect(located.place(artifactsIn(path.join(top, "flow.md")))).rejects.toMatchObject({
      code: "workflow/unpack-failed",
    });
  });

  it.each([
    ["flwo", 'Did you mean "flow"'],
    ["pack.zp", 'Did you mean "pack.zip"'],
    ["flow/STRAT", 'Did you mean "START.md"'],
    ["flow/STRAT.md", 'Did you mean "START.md"'],
    ["flo/START.md", 'Did you mean "flow"'],
    ["flwo/START", 'Did you mean "flow"'],
    ["nested", 'Did you mean "workflows/nestde"'],
    ["entirely-else", ": flow, workflows/nestde. To run one: raymond /"],
  ])("suggests a similar name when %s does not exist", async (wanted, hint) => {
    const top = await place();

    await expect(locateWorkflow(path.join(top, wanted), "unix")).rejects.toMatchObject({
      code: "workflow/not-found",
      hint: expect.stringContaining(hint) as string,
    });
  });

  it.each([
    ["a file of another kind", "flow/notes.txt", "workflow/not-a-workflow"],
    ["a name that two states have", "flow/both", "workflow/ambiguous-state"],
    ["a script of the other platform", "flow/step.bat", "workflow/wrong-platform"],
    ["a folder without a state to start with", ".", "lint/RAY101"],
  ])("rejects %s", async (_, wanted, code) => {
    const top = await place();

    await expect(locateWorkflow(path.join(top, wanted), "unix")).rejects.toMatchObject({ code });
  });

  it.each([
    ["workflows", ": nestde. To run one: raymond /"],
    ["plain", "For a demonstration, run: raymond tour"],
    ["plain/entirely-else", "For a demonstration, run: raymond tour"],
  ])("suggests the next command when %s contains no state", async (wanted, hint) => {
    const top = await place();

    await expect(locateWorkflow(path.join(top, wanted), "unix")).rejects.toMatchObject({
      hint: expect.stringContaining(hint) as string,
    });
  });

  it("rejects a damaged zip before writing anything", async () => {
    const top = await place();
    await writeFile(path.join(top, "bad.ZIP"), "no zip");

    await expect(locateWorkflow(path.join(top, "bad.ZIP"), "unix")).rejects.toMatchObject({
      code: "workflow/bad-archive",
    });
  });
});

function artifactsIn(folder: string): Parameters<LocatedWorkflow["place"]>[0] {
  return {
    archive: { packed: path.join(folder, "archive.zip"), unpacked: path.join(folder, "scope") },
  };
}
