import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { schemasFolder } from "../../../../src/launch/package-folder.ts";
import { testShell } from "../../../support/test-shell.ts";

async function schema(...words: readonly string[]) {
  const shell = testShell("/");
  await runCommandLine(["node", "raymond", "schema", ...words], shell);
  return shell.stdout();
}

it("raymond schema lists every schema of the package", async () => {
  const files = await readdir(schemasFolder());
  const listed = await schema();

  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(listed).toContain(`/${file}\n`);
});

it("raymond schema NAME prints that schema", async () => {
  const text = await readFile(`${schemasFolder()}/workflow.schema.json`, "utf8");

  expect(await schema("workflow")).toBe(text);
});

it("raymond schema names the schemas if the name is unknown", async () => {
  await expect(schema("workflows")).rejects.toThrow("front-matter, workflow, single-file");
});
