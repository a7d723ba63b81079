import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withYamlSchema, yamlSchemaLine } from "../../src/author/schema-place.ts";
import { runCommandLine } from "../../src/cli/parse/tree.ts";
import { tempFolder } from "../support/folders.ts";
import { testShell } from "../support/test-shell.ts";

async function write(cwd: string, line: string): Promise<string> {
  const shell = testShell(cwd);
  await runCommandLine(["node", "raymond", ...line.split(" ")], shell);
  return shell.stdout();
}

describe("the schema comment", () => {
  it("is omitted if it would be a path of this machine", async () => {
    const cwd = await tempFolder();

    await write(cwd, "init ralph flow");
    await write(cwd, "new state MORE --in flow");
    const single = await write(cwd, "convert flow");
    await write(cwd, "convert flow --output one.yaml");
    await write(cwd, "convert one.yaml --output back");
    await write(cwd, "--init-config --state-dir here");

    const files = [
      ...["flow/workflow.yaml", "flow/flow.sim.yaml", "flow/flow.test.yaml", "flow/MORE.md"],
      ...["one.yaml", "back/workflow.yaml", "here/config.toml"],
    ];
    for (const file of files) {
      const text = await readFile(path.join(cwd, file), "utf8");
      expect(text, file).not.toMatch(/yaml-language-server|#:schema|file:/);
    }
    expect(single).not.toContain("yaml-language-server");
    expect(await readFile(path.join(cwd, "flow/MORE.md"), "utf8")).toMatch(/^---\n# Allowed/);
  });

  it("is a relative path if raymond is a package of the project", () => {
    const schemas = path.resolve("/work/a project/node_modules/raymond/schemas");

    const within = yamlSchemaLine(schemas, "test", path.resolve("/work/a project/my flows/x.yaml"));
    const beside = yamlSchemaLine(schemas, "test", path.resolve("/work/other/x.yaml"));

    expect(within).toBe(
      "# yaml-language-server: $schema=../node_modules/raymond/schemas/test.schema.json\n",
    );
    expect(beside).toBe("");
  });

  it("replaces another schema comment at the top, but not in prompts", () => {
    const old = "# yaml-language-server: $schema=old\n";
    const text = `# About\n${old}\nname: x\nstates:\n  A:\n    prompt: |\n${old}`;

    expect(withYamlSchema(text, "# new\n")).toBe(
      `# new\n# About\n\nname: x\nstates:\n  A:\n    prompt: |\n${old}`,
    );
  });
});
