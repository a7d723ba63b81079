import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { writeProblem } from "../../../../src/clients/common/conversations/conversation-files.ts";
import { tempFolder } from "../../../support/folders.ts";

it("accepts a file that exists, and folders that do not", async () => {
  const folder = await tempFolder();
  await writeFile(path.join(folder, "one.jsonl"), "");

  expect(await writeProblem(path.join(folder, "one.jsonl"))).toBeNull();
  expect(await writeProblem(path.join(folder, "projects", "-repo", "two.jsonl"))).toBeNull();
});

it("reports a file in place of a folder of conversations", async () => {
  const folder = await tempFolder();
  await writeFile(path.join(folder, "projects"), "");

  const problem = await writeProblem(path.join(folder, "projects", "-repo", "two.jsonl"));

  expect(problem).toBe(`${path.join(folder, "projects")} is not a folder`);
  await mkdir(path.join(folder, "empty"));
  expect(await writeProblem(path.join(folder, "empty", "three.jsonl"))).toBeNull();
});
