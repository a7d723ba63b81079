import { existsSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { overview } from "../../parse/help-format.ts";
import { meantBy } from "../../parse/unknown-command.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { exitCodesText } from "../../words/exit-codes.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[topic...]", `Command, workflow or one of: ${[...TOPICS.keys()].join(", ")}`)
    .action(async (topic: readonly string[]) => {
      const { parent } = command;
      if (parent !== null) await showHelp(parent, topic, shell);
    });
}

async function showHelp(root: Command, topic: readonly string[], shell: Shell): Promise<void> {
  const [word, ...more] = topic;
  if (word === undefined) {
    root.outputHelp();
    return;
  }
  const command = commandAt(root, topic);
  const text = more.length === 0 ? TOPICS.get(word) : undefined;
  if (command !== null) command.outputHelp();
  else if (text !== undefined) shell.out.line((await text(root)).trimEnd());
  else if (more.length === 0 && existsSync(path.resolve(shell.cwd, word))) {
    const { workflowHelp } = await import("./workflow-help.ts");
    shell.out.line(await workflowHelp(word, shell));
  } else {
    const topics = [...root.commands.map((each) => each.name()), ...TOPICS.keys()];
    throw cliErrors["cli/unknown-topic"](topic.join(" "), meantBy(word, topics), topics);
  }
}

/** The command with this path, such as `fleet limits`. */
function commandAt(root: Command, names: readonly string[]): Command | null {
  let command: Command | undefined = root;
  for (const name of names) command = command?.commands.find((each) => each.name() === name);
  return command ?? null;
}

async function tagsText(): Promise<string> {
  const { TAG_TABLE } = await import("../../../language/protocol/tag-table.ts");
  const tags = Object.values(TAG_TABLE);
  const width = Math.max(...tags.map(({ example }) => example.length)) + 2;
  const rows = tags.map(({ example, summary }) => `${example.padEnd(width)}${summary}`);
  return ["Tags at the end of a state's output:", "", ...rows].join("\n");
}

const TOPICS = new Map<string, (root: Command) => string | Promise<string>>([
  ["all", (root) => overview(root, true)],
  ["tags", tagsText],
  ["environment", async () => (await import("./environment-help.ts")).environmentText()],
  ["exit-codes", exitCodesText],
]);
