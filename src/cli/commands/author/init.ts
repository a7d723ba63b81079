import path from "node:path";
import type { Command } from "commander";
import { initSkill } from "../../../author/init-skill.ts";
import { describeTemplates, initWorkflow } from "../../../author/init-workflow.ts";
import { otherInstalledAgent } from "../../../author/installed-agent.ts";
import { shellWord } from "../../../console/shell-word.ts";
import { counted } from "../../../language/basics/counted.ts";
import { DEFAULT_AGENT } from "../../../language/basics/default-agent.ts";
import { packageFolder, schemasFolder } from "../../../launch/package-folder.ts";
import { agentNamed } from "../../../wire/agents/agents.ts";
import { printJson } from "../../output.ts";
import { action, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { formatTable } from "../../words/table.ts";
import { pathFrom } from "../../words/words.ts";
import { callOf } from "../setup/workflow-help.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[template]", "Template, such as ralph (default: list the templates)")
    .argument("[folder]", "New folder (default: named after the template)")
    .option("--windows", "Include scripts for Windows (default on Windows)")
    .option("--skill", "Write the skill that teaches the coding agent to write workflows")
    .option(...JSON_OBJECT)
    .action(action(shell, initCommand));
}

interface InitOptions {
  readonly template?: string | undefined;
  readonly folder?: string | undefined;
  readonly skill?: true;
  readonly windows?: true;
  readonly json?: true;
}

async function initCommand(options: InitOptions, shell: Shell): Promise<void> {
  const samples = path.join(packageFolder(), "workflows");
  if (options.skill === true) return writeSkill(options, shell);
  if (options.template === undefined) return listTemplates(samples, options, shell);
  const agent = await otherInstalledAgent(shell);
  const { template, folder, files, manifest } = await initWorkflow(
    { template: options.template, folder: options.folder, windows: options.windows, agent },
    { samples, schemas: schemasFolder() },
    shell,
  );
  const { description } = manifest;
  const place = pathFrom(shell.cwd, folder);
  const next = [
    [`raymond help ${shellWord(place)}`, "show its input; then edit its prompts"],
    [`raymond test ${shellWord(place)}`, "run its tests: no model calls, no cost"],
    [`${callOf(place, manifest)} --budget 5`, "run it with a limit of $5"],
  ];
  if (options.json === true) {
    const calls = next.map(([call]) => call);
    printJson(shell.out, { template, folder, description, files, agent, next: calls });
    return;
  }
  shell.out.line(
    `Wrote ${counted(files.length, "file")} into ${place}: ${description ?? template}`,
  );
  if (agent !== null) {
    shell.out.line(`Its coding agent is ${agent}, because ${DEFAULT_AGENT} is not installed here.`);
  }
  const rows = next.map(([call = "", about = ""]) => [`  ${call}`, about]);
  for (const line of formatTable(rows, ["left", "left"])) shell.out.line(line);
}

async function writeSkill({ template, json }: InitOptions, shell: Shell): Promise<void> {
  if (template !== undefined) {
    throw cliErrors["cli/flag-conflict"](
      "--skill cannot be combined with a template.",
      "Create the workflow with a second command: raymond init TEMPLATE [FOLDER]",
    );
  }
  const source = path.join(packageFolder(), "skills", "raymond", "SKILL.md");
  const agent = agentNamed((await otherInstalledAgent(shell)) ?? DEFAULT_AGENT);
  const done = await initSkill(source, agent, shell);
  if (json === true) {
    printJson(shell.out, done);
    return;
  }
  const place = pathFrom(shell.cwd, done.file);
  switch (done.outcome) {
    case "written":
      shell.out.line(`Wrote ${place}: ${agent.title} reads it in this folder and below.`);
      return;
    case "renewed":
      shell.out.line(`Updated ${place}.`);
      return;
    case "there already":
      shell.out.line(`${place} is up to date.`);
      return;
  }
}

async function listTemplates(samples: string, { json }: InitOptions, shell: Shell): Promise<void> {
  const known = await describeTemplates(samples, shell);
  if (json === true) {
    printJson(shell.out, {
      templates: known.map(({ name, manifest: { description } }) => ({ name, description })),
    });
    return;
  }
  const rows = known.map(({ name, manifest }) => [name, manifest.description ?? ""]);
  for (const line of formatTable(rows, ["left", "left"])) shell.out.line(line);
  shell.err.line("\nCreate a workflow with: raymond init TEMPLATE [FOLDER]");
}
