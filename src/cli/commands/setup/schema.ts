import { readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { schemasFolder } from "../../../launch/package-folder.ts";
import type { Shell } from "../../shell.ts";
import { formatTable } from "../../words/table.ts";
import { listed } from "../../words/words.ts";

/** The schemas of the package, and the files that they describe (docs/editors.md, "Schemas"). */
const SCHEMAS: Readonly<Record<string, string>> = {
  "front-matter": "front matter of a prompt",
  workflow: "workflow.yaml",
  "single-file": "workflow in one file",
  test: "*.test.yaml",
  simulation: "*.sim.yaml",
  config: "config.toml",
};

export function define(command: Command, shell: Shell): void {
  const names = Object.keys(SCHEMAS);
  const argument = command.createArgument(
    "[name]",
    `Schema: ${listed(names)} (default: list them)`,
  );
  argument.argChoices = names;
  command.addArgument(argument).action((name?: string) => {
    if (name === undefined) {
      const rows = Object.entries(SCHEMAS).map(([each, about]) => [each, about, fileOf(each)]);
      const table = formatTable([["schema", "for", "file"], ...rows], ["left", "left", "left"]);
      for (const line of table) shell.out.line(line);
      return;
    }
    if (!(name in SCHEMAS)) throw new BadFlagError("NAME", name, `one of ${names.join(", ")}`);
    shell.out.write(readFileSync(fileOf(name), "utf8"));
  });
}

function fileOf(name: string): string {
  return path.join(schemasFolder(), `${name}.schema.json`);
}
