import type { Command } from "commander";
import { environmentText } from "../../src/cli/environment-help.ts";
import { exitCodesText } from "../../src/cli/exit-codes.ts";
import { program } from "../../src/cli/program.ts";
import { VERSION } from "../../src/cli/version.ts";
import { keepingShell } from "../support/shell.ts";

/** The manual page, raymond(1), as roff: what the command tree says of itself. */
export function manPage(): string {
  const root = program(keepingShell("/"));
  return [
    `.TH RAYMOND 1 "" "raymond ${VERSION}" "User Commands"`,
    section("NAME"),
    `raymond \\- ${escaped(root.description())}`,
    section("SYNOPSIS"),
    ".B raymond",
    escaped("WORKFLOW [options]"),
    ".br",
    ".B raymond",
    escaped("COMMAND [options]"),
    section("OPTIONS"),
    "Of a run. \\-\\-[no\\-]debug and the like are two options each: one switches on, the other off.",
    ...optionsOf(root),
    section("COMMANDS"),
    ...root.commands.flatMap(commandPart),
    section("ENVIRONMENT"),
    ...verbatim(environmentText()),
    section("EXIT STATUS"),
    ...verbatim(exitCodesText()),
    section("FILES"),
    ".TP",
    ".I .raymond",
    "The runs of a project, in the nearest such folder upwards, and its configuration, config.toml.",
    section("SEE ALSO"),
    ".BR claude (1)",
    "",
  ].join("\n");
}

function section(title: string): string {
  return `.SH ${title}`;
}

function commandPart(command: Command): readonly string[] {
  const help = command.createHelp();
  const usage = help.commandUsage(command).replace(/^raymond /, "");
  return [
    `.SS ${escaped(`raymond ${usage}`)}`,
    escaped(command.description()),
    ...help
      .visibleArguments(command)
      .flatMap((argument) => entry(argument.name(), argument.description)),
    ...optionsOf(command),
  ];
}

/** Those that the help shows, under its headings. */
function optionsOf(command: Command): readonly string[] {
  const help = Object.assign(command.createHelp(), command.configureHelp());
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

/** No text is a request, and a dash is what one types. */
function escaped(text: string): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return plain
    .split("\n")
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
    .join("\n");
}
