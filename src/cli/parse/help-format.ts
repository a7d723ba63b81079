import { type Argument, type Command, Help, type Option } from "commander";
import { listed } from "../words/words.ts";
import { pathOf } from "./commander-errors.ts";
import { SWITCHES } from "./options.ts";

/** How commander writes the help: placeholders in capitals, choices and defaults in words. */
export const HELP_FORMAT: Partial<Help> = {
  showGlobalOptions: false,
  optionTerm,
  optionDescription: ({ description, argChoices }) =>
    argChoices === undefined
      ? description
      : description.replace(/( \(default: [^)]*\))?$/, `: ${listed(argChoices)}$1`),
  argumentTerm: argumentName,
  argumentDescription: ({ description, defaultValue }) =>
    typeof defaultValue === "string" ? `${description} (default: ${defaultValue})` : description,
  subcommandTerm: (command) => command.name(),
  commandUsage: usageOf,
  formatHelp: (command, help) =>
    command.parent === null
      ? overview(command, false)
      : Help.prototype.formatHelp.call(help, command, help),
};

/** An option as the help shows it: `--[no-]debug`, `--budget USD`. */
export function optionTerm(option: Option): string {
  const term = option.flags.replace(/<(.+)>|\[.+\]/, (found, name: string | undefined) =>
    (name ?? found).toUpperCase(),
  );
  return SWITCHES.has(option) ? term.replace("--", "--[no-]") : term;
}

function argumentName(argument: Argument): string {
  const name = argument.name().toUpperCase();
  return argument.variadic ? `${name}...` : name;
}

function usageOf(command: Command): string {
  const names = command.registeredArguments.map((argument) =>
    argument.required ? argumentName(argument) : `[${argumentName(argument)}]`,
  );
  const path = pathOf(command);
  const usage = [path, ...names, "[options]"].join(" ");
  return command.commands.length === 0 ? usage : `${usage}\n       ${path} COMMAND [options]`;
}

/** `raymond --help`: the common commands by groups. `all`: every command. */
export function overview(root: Command, all: boolean): string {
  const rows = new Map<string, string[]>();
  for (const command of new Help().visibleCommands(root)) {
    if (!all && !COMMON_COMMANDS.includes(command.name())) continue;
    const lines = rows.get(command.helpGroup()) ?? [];
    lines.push(line(command.name(), command.description()));
    for (const each of command.commands) {
      lines.push(line(`${command.name()} ${each.name()}`, each.description()));
    }
    rows.set(command.helpGroup(), lines);
  }
  const groups = [...rows].flatMap(([group, lines]) => [group, ...lines, ""]);
  const options = COMMON_OPTIONS.flatMap((name) =>
    root.options.filter(({ long }) => long === `--${name}`),
  );
  return [
    root.description(),
    "",
    "Usage:",
    "  raymond WORKFLOW [options]",
    "  raymond COMMAND [options]",
    "",
    ...groups,
    "Common options",
    ...options.map((option) => line(optionTerm(option), option.description)),
    line("-h, --help", "Show help"),
    "",
    `More: ${all ? "" : "raymond help all | "}raymond help run | raymond help tags | raymond help environment`,
    "",
    "Examples:",
    ...EXAMPLES.map(([call, text]) => `  ${call.padEnd(34)}${text}`),
    "",
  ].join("\n");
}

const COMMON_OPTIONS = [...["budget", "allow", "model", "detach", "quiet", "verbose", "version"]];

const EXAMPLES = [
  ["raymond tour", "Watch a free example"],
  ["raymond ./greet --budget 5", "Run a workflow with a limit of $5"],
  ["raymond resume --add-budget 5", "Continue the latest run with $5 more"],
] as const;

function line(term: string, text: string): string {
  return `  ${term.padEnd(WIDTH)}  ${text}`;
}

const WIDTH = 22;

/** `raymond --help` lists these. `raymond help all` lists all commands. */
export const COMMON_COMMANDS: readonly string[] = [
  ...["run", "resume", "rerun", "submit", "list", "status", "why", "show", "logs", "cost", "serve"],
  ...["stop", "answer", "attach", "init", "lint", "graph", "test", "doctor", "tour"],
];
