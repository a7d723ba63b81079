import { HEADINGS } from "../../core/explain/explain.ts";
import { stemOf } from "../../core/workflow/state-name.ts";
import { printable } from "../../observers/printable.ts";
import { type Explained, type ExplainOptions, explain } from "../../runs/explain.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";

interface ExplainCommandOptions extends ExplainOptions {
  readonly json?: true;
}

/** `raymond explain [WORKFLOW]`: what it does, state by state. */
export async function explainCommand(options: ExplainCommandOptions, shell: Shell): Promise<void> {
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
