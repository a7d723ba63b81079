import path from "node:path";
import { counted } from "../../core/counted.ts";
import { packageFolder, schemasFolder } from "../../launch/package-folder.ts";
import { shellWord } from "../../observers/shell-word.ts";
import { initSkill } from "../../runs/init-skill.ts";
import { describeTemplates, type Initialized, initWorkflow } from "../../runs/init-workflow.ts";
import { FlagConflictError } from "../errors.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { formatTable } from "../table.ts";
import { pathFrom } from "../words.ts";
import { callOf } from "../workflow-call.ts";

interface InitOptions {
  readonly template?: string;
  readonly folder?: string;
  readonly skill?: true;
  readonly windows?: true;
  readonly json?: true;
}

/** `raymond init`: writes a workflow from a template, or the skill; without either, lists the templates. */
export async function initCommand(options: InitOptions, shell: Shell): Promise<void> {
  if (options.skill === true) {
    await writeSkill(options, shell);
    return;
  }
  const samples = path.join(packageFolder(), "workflows");
  if (options.template === undefined) {
    await listTemplates(samples, options, shell);
    return;
  }
  const { template, folder, windows } = options;
  const done = await initWorkflow(
    { template, folder, windows },
    { samples, schemas: schemasFolder() },
    shell,
  );
  const next = nextOf(done, shell.cwd);
  if (options.json === true) {
    const { template, folder, files, manifest } = done;
    const { description } = manifest;
    printJson(shell.out, {
      template,
      folder,
      description,
      files,
      next: next.map(([call]) => call),
    });
    return;
  }
  const { files, manifest } = done;
  const place = pathFrom(shell.cwd, done.folder);
  shell.out.line(
    `Wrote ${counted(files.length, "file")} into ${place}: ${manifest.description ?? done.template}`,
  );
  for (const line of formatTable(
    next.map(([call, what]) => [`  ${call}`, what]),
    ["left", "left"],
  )) {
    shell.out.line(line);
  }
}

async function writeSkill({ template, json }: InitOptions, shell: Shell): Promise<void> {
  if (template !== undefined) {
    const hint = "Write the workflow by a second call: raymond init TEMPLATE [FOLDER]";
    throw new FlagConflictError("--skill writes no workflow, so it takes no template.", hint);
  }
  const source = path.join(packageFolder(), "skills", "raymond", "SKILL.md");
  const done = await initSkill(source, shell);
  if (json === true) {
    printJson(shell.out, done);
    return;
  }
  const place = pathFrom(shell.cwd, done.file);
  switch (done.outcome) {
    case "written":
      shell.out.line(`Wrote ${place}: Claude Code reads it in this folder and below.`);
      return;
    case "renewed":
      shell.out.line(`Renewed ${place}.`);
      return;
    case "there already":
      shell.out.line(`${place} is there already, as it ships.`);
      return;
  }
}

/** What to do with a new workflow: three commands, and what each does. */
function nextOf(
  { folder, manifest }: Initialized,
  cwd: string,
): readonly (readonly [string, string])[] {
  const place = pathFrom(cwd, folder);
  const call = callOf(place, manifest);
  return [
    [`raymond help ${shellWord(place)}`, "what it takes; then change its prompts to what you need"],
    [`raymond test ${shellWord(place)}`, "its tests: no model, no cost"],
    [`${call} --budget 5`, "run it, for five dollars at most"],
  ];
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
  shell.err.line("\nraymond init TEMPLATE [FOLDER] writes one of them into a new folder.");
}
