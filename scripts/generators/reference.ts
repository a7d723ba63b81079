import type { Command, Option } from "commander";
import { environmentTables } from "../../src/cli/commands/setup/environment-help.ts";
import { COMMON_COMMANDS, HELP_FORMAT, optionTerm } from "../../src/cli/parse/help-format.ts";
import { EXIT, EXIT_MEANINGS } from "../../src/cli/words/exit-codes.ts";

/**
 * Writes the generated parts of docs/cli.md: the text between `<!-- NAME -->` and `<!-- end -->`. NAME is `commands`,
 * `exit-codes`, `environment`, or the path of a command. Throws for a name that is none of these.
 */
export function withReference(page: string, root: Command): string {
  return page.replaceAll(
    /<!-- (?!end )([\w -]+) -->\n[\s\S]*?<!-- end -->/g,
    (_, name: string) => `<!-- ${name} -->\n\n${partOf(name, root)}\n\n<!-- end -->`,
  );
}

function partOf(name: string, root: Command): string {
  if (name === "commands") return commandTables(root);
  if (name === "exit-codes") return exitCodeTable();
  if (name === "environment") return environmentTable();
  const command = commandAt(root, name);
  if (command === undefined) throw new Error(`docs/cli.md: no command "${name}"`);
  return commandReference(command);
}

function commandAt(root: Command, path: string): Command | undefined {
  let found: Command | undefined = root;
  for (const name of path.split(" ")) found = found?.commands.find((each) => each.name() === name);
  return found;
}

function commandTables(root: Command): string {
  const help = root.createHelp();
  const rows = help.visibleCommands(root).map((command) => {
    const path = `raymond ${command.name()}`;
    return [
      command.helpGroup(),
      `[\`${path}\`](#raymond-${command.name() === "run" ? "workflow" : command.name()})`,
      command.description(),
      COMMON_COMMANDS.includes(command.name()) ? "yes" : "",
    ];
  });
  return table(["group", "command", "description", "in `raymond --help`"], rows);
}

/** Options that mean the same in every command. docs/cli.md describes them once. */
const COMMON: ReadonlySet<string> = new Set(["--state-dir", "--fleet", "--no-fleet", "--help"]);

function commandReference(command: Command): string {
  const help = Object.assign(command.createHelp(), HELP_FORMAT);
  const usage = ["```text", help.commandUsage(command), "```"].join("\n");
  const words = help
    .visibleArguments(command)
    .map((argument) => [code(help.argumentTerm(argument)), help.argumentDescription(argument)]);
  const groups = new Map<string, Option[]>();
  const shared = optionsOfRun(command);
  const names = new Set(help.visibleOptions(command).map(({ long }) => long));
  for (const option of help.visibleOptions(command)) {
    if (COMMON.has(option.long ?? "") || shared.has(option.long ?? "")) continue;
    const heading = option.helpGroupHeading ?? "";
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  const tables = [...groups].map(([heading, options]) => {
    const rows = options.map((option) => [
      code(optionTerm(option)),
      help.optionDescription(option),
    ]);
    return [...(heading === "" ? [] : [heading, ""]), table(["option", "description"], rows)].join(
      "\n",
    );
  });
  const common = help
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help" && COMMON.has(long ?? ""))
    .map((option) => code(optionTerm(option)));
  return [
    usage,
    ...(words.length === 0 ? [] : [table(["argument", "description"], words)]),
    ...tables,
    ...(shared.size === 0 ? [] : [sharedLine(shared, names)]),
    ...(common.length === 0 ? [] : [`[Common options](#common-options): ${common.join(", ")}`]),
  ].join("\n\n");
}

/** For the commands that drive a run in another way: the options of `raymond run`, which are described there. */
function optionsOfRun(command: Command): ReadonlySet<string> {
  const run = command.parent?.commands.find((each) => each.name() === "run");
  if (run === undefined || !["resume", "rerun", "submit"].includes(command.name()))
    return new Set();
  const options = run.createHelp().visibleOptions(run);
  return new Set(
    options.flatMap(({ long }) => (long === undefined || COMMON.has(long) ? [] : long)),
  );
}

function sharedLine(shared: ReadonlySet<string>, names: ReadonlySet<string | undefined>): string {
  const missing = [...shared].filter((name) => !names.has(name)).map(code);
  return `All options of [\`raymond WORKFLOW\`](#raymond-workflow) except ${missing.join(", ")}.`;
}

function exitCodeTable(): string {
  const rows = (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => [
    String(EXIT[name]),
    EXIT_MEANINGS[name],
  ]);
  return table(["code", "meaning"], rows);
}

function environmentTable(): string {
  return environmentTables()
    .map(({ title, rows }) => {
      const cells = rows.map(([names, text]) => [names.split(", ").map(code).join(", "), text]);
      return [`${title}:`, "", table(["variable", "meaning"], cells)].join("\n");
    })
    .join("\n\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/<(\w+)>/g, "\\<$1>")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
