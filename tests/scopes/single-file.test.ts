import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { singleFileOf } from "../../src/language/workflow/convert.ts";
import { extensionOf } from "../../src/language/workflow/files/state-name.ts";
import { isSchemaName } from "../../src/language/workflow/policy/schema-name.ts";
import { fileToFolder, folderToFile } from "../../src/scopes/convert.ts";
import { locateWorkflow } from "../../src/scopes/open.ts";
import { singleFileScope } from "../../src/scopes/single-file.ts";
import { describeScope } from "../contracts/scope.ts";
import { tempFolder } from "../support/folders.ts";

/** A scope of a run whose workflow is one file with these states; the original is gone. */
async function placed(files: Readonly<Record<string, string>>) {
  const states = Object.entries(files).filter(
    ([name]) => extensionOf(name) !== null || isSchemaName(name),
  );
  return placedText(singleFileOf(new Map(states), null));
}

async function placedText(text: string) {
  const top = await tempFolder();
  const file = path.join(top, "flow.yaml");
  await writeFile(file, text);
  const located = await locateWorkflow(file, "unix", (await statesOf(file))[0] ?? null);
  const run = path.join(top, "run");
  const places = { packed: path.join(run, "archive.zip"), unpacked: path.join(run, "scope") };
  const dir = await located.place({ archive: places });
  await rm(file);
  return singleFileScope(dir);
}

async function statesOf(file: string): Promise<readonly string[]> {
  const { readSingleFile } = await import("../../src/scopes/single-file.ts");
  return [...(await readSingleFile(file)).single.states.keys()].filter(
    (name) => !name.endsWith(".bat"),
  );
}

describeScope("singleFileScope", placed);

describe("a workflow of one file", () => {
  it("writes its scripts as files, and can be edited in the copy of the run", async () => {
    const scope = await placedText("states:\n  START:\n    prompt: old\n  B:\n    sh: echo\n");
    const source = scope.source("START.md");
    expect(path.basename(source)).toBe("workflow.yaml");
    expect(await scope.load("START.md")).toMatchObject({ body: "old" });

    await writeFile(source, "states:\n  START:\n    prompt: edited\n  C:\n    prompt: new\n");

    expect(await scope.load("START.md")).toMatchObject({ body: "edited" });
    expect(await scope.names()).toEqual(["C.md", "START.md"]);
  });

  it("starts a script as edited in the copy", async () => {
    const scope = await placedText("states:\n  START:\n    sh: echo old\n");
    const script = () => readFile(scope.path("START.sh"), "utf8");
    await scope.load("START.sh");
    expect(await script()).toBe("echo old");

    await writeFile(scope.source("START.sh"), "states:\n  START:\n    sh: echo edited\n");
    await scope.load("START.sh");

    expect(await script()).toBe("echo edited");
  });

  it("reports the line in the copy", async () => {
    const scope = await placedText("states:\n  START:\n    prompt: x\n");
    await writeFile(scope.source("START.md"), "states:\n  START:\n    prompt: x\n    effort: y\n");

    await expect(scope.load("START.md")).rejects.toThrow(/workflow\.yaml:4:13: Unknown effort/);
  });

  it("can be converted to a folder and back without overwriting files", async () => {
    const top = await tempFolder();
    const file = path.join(top, "flow.yaml");
    const dir = path.join(top, "flow");
    await writeFile(file, "name: N\nstates:\n  START:\n    prompt: |\n      Do it.\n");

    expect(await fileToFolder(file, dir)).toEqual(["START.md", "workflow.yaml"]);
    await writeFile(path.join(dir, "data.txt"), "");

    expect(await folderToFile(dir)).toEqual({
      text: "name: N\nstates:\n  START:\n    prompt: |\n      Do it.\n",
      leftOut: ["data.txt"],
    });
    await expect(fileToFolder(file, dir)).rejects.toMatchObject({
      code: "workflow/conversion-target",
    });
  });

  it("can only be made from a folder", async () => {
    const top = await tempFolder();
    await writeFile(path.join(top, "w.zip"), "");

    await expect(folderToFile(path.join(top, "w.zip"))).rejects.toMatchObject({
      code: "workflow/not-a-workflow",
      message: expect.stringContaining("is not a folder") as string,
    });
    await expect(folderToFile(path.join(top, "gone"))).rejects.toMatchObject({
      code: "workflow/not-found",
    });
  });

  it("must be text", async () => {
    const file = path.join(await tempFolder(), "flow.yaml");
    await writeFile(file, Buffer.from("caf\xe9", "latin1"));

    await expect(locateWorkflow(file, "unix")).rejects.toThrow("is not UTF-8 text");
  });
});
