import { existsSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { EXIT, exitCodesText } from "./exit-codes.ts";
import { meantBy } from "./mistyped.ts";
import type { Shell } from "./shell.ts";

/** `raymond help TOPIC`: a command, one of the topics that are no command, or what a workflow takes. */
export async function showHelp(
  root: Command,
  topic: string | undefined,
  shell: Shell,
): Promise<void> {
  if (topic === undefined) {
    root.outputHelp();
    return;
  }
  const command = root.commands.find((one) => one.name() === topic);
  const text = TOPICS.get(topic);
  if (command !== undefined) command.outputHelp();
  else if (text !== undefined) shell.out.line(await text());
  else if (existsSync(path.resolve(shell.cwd, topic))) {
    const { workflowHelp } = await import("./workflow-help.ts");
    shell.out.line(await workflowHelp(topic, shell));
  } else refuse(root, topic);
}

function refuse(root: Command, topic: string): never {
  const topics = [...root.commands.map((command) => command.name()), ...TOPICS.keys()];
  const near = meantBy(topic, topics);
  const meant = near === null ? `topics: ${topics.join(", ")}` : `did you mean ${near}?`;
  root.error(`error: there is no help on "${topic}" (${meant})`, { exitCode: EXIT.usage });
}

const TOPICS = new Map<string, () => string | Promise<string>>([
  ["tags", async () => (await import("./tags-help.ts")).tagsText()],
  ["environment", async () => (await import("./environment-help.ts")).environmentText()],
  ["exit-codes", exitCodesText],
]);

/** What `raymond` alone prints. */
export const SHORT_HELP = `raymond runs workflows made of prompts and scripts, with Claude Code.

  raymond tour                   watch a small workflow run; simulated, costs nothing
  raymond WORKFLOW [options]     run a folder, a zip, a .yaml file or a state file
  raymond --resume [ID]          go on with a run: the last one, or this one
  raymond list                   the runs of this project
  raymond status [ID]            where a run stands
  raymond stop [ID]              end a run from another terminal
  raymond doctor                 whether everything that a run needs is there
  raymond init [TEMPLATE]        write a workflow to begin with; without one, list the templates
  raymond --init-config          write a commented .raymond/config.toml
  raymond --help                 all options and commands
`;

/** What stands below the options of a run. */
export const ABOUT_SWITCHES = `
--[no-]debug and the like are two options each: --debug switches on, --no-debug off,
whatever the configuration or the run says; of several the last one counts.`;

/** What stands below that in `raymond --help`. */
export const AFTER_HELP = `
Examples:
  $ raymond tour                              watch a small workflow run; costs nothing
  $ raymond FOLDER --budget 5                 run yours, and stop at five dollars
  $ raymond --resume --add-budget 5           go on with the last run, with five dollars more

More: raymond help COMMAND, or raymond help ${[...TOPICS.keys()].join(", ")}`;
