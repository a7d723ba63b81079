import type { Command } from "commander";
import { HEADINGS } from "../../../analysis/explain/explain.ts";
import { type Explained, type ExplainOptions, explain } from "../../../author/explain.ts";
import { stemOf } from "../../../language/workflow/files/state-name.ts";
import { printable } from "../../../log/printable.ts";
import { printJson } from "../../output.ts";
import { action, JSON_OBJECT, notEmpty, STATE_DIR } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument(
      "[workflow]",
      "Folder, zip archive, .yaml file or state file (default: current folder)",
      notEmpty,
    )
    .option(...JSON_OBJECT)
    .option(...STATE_DIR)
    .action(action(shell, explainCommand));
}

interface ExplainCommandOptions extends ExplainOptions {
  readonly json?: true;
}

async function explainCommand(options: ExplainCommandOptions, shell: Shell): Promise<void> {
  const explained = await explain(options, shell);
  if (options.json === true) printJson(shell.out, explained);
  else for (const line of formatExplanation(explained)) shell.out.line(printable(line));
}

function formatExplanation({ about, workflows, ...own }: Explained): readonly string[] {
  const others = workflows.flatMap((one) => [
    "",
    `workflow ${titleOf(one)}`,
    ...blocksOf(one.states),
  ]);
  return [titleOf(own), ...about, ...blocksOf(own.states), ...others];
}

function titleOf({ workflow, description }: Pick<Explained, "workflow" | "description">): string {
  return description === null ? workflow : `${workflow}: ${description}`;
}

function blocksOf(states: Explained["states"]): readonly string[] {
  return states.flatMap(({ state, kind, said }) => [
    "",
    `${stemOf(state)}, a ${kind}`,
    ...HEADINGS.flatMap((heading) =>
      said[heading].map((line, at) => `  ${(at === 0 ? heading : "").padEnd(WIDTH)}${line}`),
    ),
  ]);
}

const WIDTH = Math.max(...HEADINGS.map((heading) => heading.length)) + 2;
