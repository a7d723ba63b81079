import type { Command } from "commander";
import { environmentText } from "../../src/cli/commands/setup/environment-help.ts";
import { HELP_FORMAT } from "../../src/cli/parse/help-format.ts";
import { VERSION } from "../../src/cli/parse/version.ts";
import { exitCodesText } from "../../src/cli/words/exit-codes.ts";
import { fullTree } from "./full-tree.ts";

/** The manual page raymond(1) as roff, generated from the command tree. */
export async function manPage(): Promise<string> {
  const root = await fullTree();
  return [
    `.TH RAYMOND 1 "" "raymond ${VERSION}" "User Commands"`,
    section("NAME"),
    `raymond \\- ${escaped(root.description().replace(/\.$/, ""))}`,
    section("SYNOPSIS"),
    ".B raymond",
    escaped("WORKFLOW [options]"),
    ".br",
    ".B raymond",
    escaped("COMMAND [options]"),
    section("OPTIONS"),
    "Options of raymond WORKFLOW. \\-\\-[no\\-]debug stands for two options: \\-\\-debug and \\-\\-no\\-debug.",
    ...optionsOf(root),
    section("COMMANDS"),
    ...root.createHelp().visibleCommands(root).flatMap(commandPart),
    section("ENVIRONMENT"),
    ...verbatim(environmentText()),
    section("EXIT STATUS"),
    ...verbatim(exitCodesText()),
    section("FILES"),
    ".TP",
    ".I .raymond",
    "The runs and the configuration (config.toml) of a project. raymond uses the nearest such folder upwards.",
    section("SEE ALSO"),
    ".BR claude (1)",
    "",
  ].join("\n");
}

function section(title: string): string {
  return `.SH ${title}`;
}

function commandPart(command: Command): readonly string[] {
  const help = Object.assign(command.createHelp(), HELP_FORMAT);
  const [usage = ""] = help.commandUsage(command).split("\n");
  return [
    `.SS ${escaped(usage)}`,
    escaped(command.description()),
    ...help
      .visibleArguments(command)
      .flatMap((argument) =>
        entry(help.argumentTerm(argument), help.argumentDescription(argument)),
      ),
    ...optionsOf(command),
    ...command.commands.flatMap(commandPart),
  ];
}

/** The options that the help shows, under its headings. */
function optionsOf(command: Command): readonly string[] {
  const help = Object.assign(command.createHelp(), HELP_FORMAT);
  const groups = new Map<string, string[]>();
  for (const option of help.visibleOptions(command)) {
    const heading = option.helpGroupHeading ?? "";
    const lines = groups.get(heading) ?? [];
    lines.push(...entry(help.optionTerm(option), help.optionDescription(option)));
    groups.set(heading, lines);
  }
  return [...groups].flatMap(([heading, lines]) =>
    command.parent === null && heading !== "" ? [".PP", `.B ${escaped(heading)}`, ...lines] : lines,
  );
}

function entry(term: string, about: string): readonly string[] {
  return [".TP", `.B ${escaped(term)}`, escaped(about)];
}

function verbatim(text: string): readonly string[] {
  return [".nf", ...text.trimEnd().split("\n").map(escaped), ".fi"];
}

/** Escapes requests of roff, and dashes, which a user types as they are. */
function escaped(text: string): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return plain
    .split("\n")
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
    .join("\n");
}
