import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { obeyCommandLine } from "../../src/cli/program.ts";
import { withYamlSchema, yamlSchemaLine } from "../../src/runs/schema-place.ts";
import { tempFolder } from "../support/folders.ts";
import { keepingShell } from "../support/shell.ts";

const SCHEMAS = path.join(import.meta.dirname, "../../schemas");

function shipped(kind: string): string {
  return pathToFileURL(path.join(SCHEMAS, `${kind}.schema.json`)).href;
}

async function write(cwd: string, line: string): Promise<string> {
  const shell = keepingShell(cwd);
  await obeyCommandLine(["node", "raymond", ...line.split(" ")], shell);
  return shell.stdout();
}

describe("the comment that names a schema", () => {
  it("stands in what raymond writes, once, and leads to a schema that is there", async () => {
    const cwd = await tempFolder();

    await write(cwd, "init ralph flow");
    await write(cwd, "new state MORE --in flow");
    const single = await write(cwd, "convert flow");
    await write(cwd, "convert flow --output one.yaml");
    await write(cwd, "convert one.yaml --output back");
    await write(cwd, "--init-config --state-dir here");

    const yaml = [
      ["flow/workflow.yaml", "workflow"],
      ["flow/flow.sim.yaml", "simulation"],
      ["flow/flow.test.yaml", "test"],
      ["one.yaml", "single-file"],
      ["back/workflow.yaml", "workflow"],
    ] as const;
    for (const [file, kind] of yaml) {
      const text = await readFile(path.join(cwd, file), "utf8");
      expect(text, file).toMatch(/^# yaml-language-server: \$schema=/);
      expect(text.split("\n")[0], file).toBe(`# yaml-language-server: $schema=${shipped(kind)}`);
    }
    expect(single.split("\n")[0]).toBe(`# yaml-language-server: $schema=${shipped("single-file")}`);
    const state = await readFile(path.join(cwd, "flow/MORE.md"), "utf8");
    expect(state.split("\n")[1]).toBe(`# yaml-language-server: $schema=${shipped("front-matter")}`);
    const config = await readFile(path.join(cwd, "here/config.toml"), "utf8");
    expect(config.split("\n")[0]).toBe(`#:schema ${shipped("config")}`);
    for (const kind of ["workflow", "simulation", "test", "single-file", "front-matter"]) {
      await expect(readFile(new URL(shipped(kind)), "utf8")).resolves.toContain('"$schema"');
    }
  });

  it("is a relative path where raymond is a package of the project", () => {
    const schemas = path.resolve("/work/a project/node_modules/raymond/schemas");

    const within = yamlSchemaLine(schemas, "test", path.resolve("/work/a project/my flows/x.yaml"));
    const beside = yamlSchemaLine(schemas, "test", path.resolve("/work/other/x.yaml"));

    expect(within).toBe(
      "# yaml-language-server: $schema=../node_modules/raymond/schemas/test.schema.json\n",
    );
    expect(beside).toMatch(/\$schema=file:\/\/\/.*\/a%20project\/node_modules\//);
  });

  it("takes the place of another one in the head of a file, and leaves prompts alone", () => {
    const old = "# yaml-language-server: $schema=old\n";
    const text = `# About\n${old}\nname: x\nstates:\n  A:\n    prompt: |\n${old}`;

    expect(withYamlSchema(text, "# new\n")).toBe(
      `# new\n# About\n\nname: x\nstates:\n  A:\n    prompt: |\n${old}`,
    );
  });
});
