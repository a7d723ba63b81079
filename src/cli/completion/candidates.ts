import type { Argument, Command, Option } from "commander";
import { TEMPLATES } from "../../author/init-workflow.ts";
import type { Caller } from "../../wire/caller.ts";
import type { WhichRuns } from "../commands/fleet/in-fleet.ts";
import { namesInFleet } from "./fleet-names.ts";
import {
  agentsOf,
  type Candidate,
  runsHere,
  statesEntered,
  statesOf,
  workflowsAt,
} from "./names.ts";

/** Candidates for a word. `files`: the shell completes file names itself. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly files: boolean;
}

export async function complete(
  root: Command,
  words: readonly string[],
  caller: Caller,
): Promise<Completion> {
  const read = readWords(root, words);
  const offers = await offersFor(read, root, caller);
  const fitting = offers
    .flatMap(({ candidates }) => candidates)
    .filter(({ value }) => value.startsWith(read.partial))
    .map(({ value, about }) => ({ value: `${read.prefix}${value}`, about }));
  return { candidates: fitting, files: offers.some(({ files }) => files) };
}

const NOTHING: Completion = { candidates: [], files: false };
const FILES: Completion = { candidates: [], files: true };

async function offersFor(
  read: ReadWords,
  root: Command,
  caller: Caller,
): Promise<readonly Completion[]> {
  const { command, option, isFlag, prefix, named } = read;
  if (isFlag) return [these(flagsOf(command))];
  const value =
    option === null ? [] : [choicesOf(option) ?? (await byName(valueName(option), read, caller))];
  // After a flag whose value is optional, an argument may follow.
  if (option !== null && (!option.optional || prefix !== "")) return value;
  const all = command.registeredArguments;
  const argument = all[named.length] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  return [
    ...value,
    ...(named.length === 0 ? [these(commandsOf(command))] : []),
    ...(argument === undefined ? [] : [await argumentOffer(argument, read, root, caller)]),
  ];
}

async function argumentOffer(
  argument: Argument,
  read: ReadWords,
  root: Command,
  caller: Caller,
): Promise<Completion> {
  if (argument.name() !== "topic") {
    return choicesOf(argument) ?? byName(argument.name(), read, caller);
  }
  return these([...commandsOf(root), ...(await workflowsAt(read.partial, caller))]);
}

/** Candidates by the name of an argument or value in the help. */
async function byName(name: string, read: ReadWords, caller: Caller): Promise<Completion> {
  switch (name) {
    case "workflow":
    case "paths":
      return these(await workflowsAt(read.partial, caller));
    case "run":
    case "other":
    case "live":
    case "question":
      return these(await runsHere(whichRuns(read), caller));
    case "state":
      return these(await statesOf(read.given.get("in") ?? read.named[0] ?? ".", caller));
    case "agent":
      return these(await agentsOf(read.named[0] ?? "latest", whichRuns(read), caller));
    case "step":
      return these(await statesEntered(read.named[0] ?? "latest", whichRuns(read), caller));
    case "template":
      return these(TEMPLATES.map((value) => ({ value, about: "template" })));
    case "machine":
    case "pool":
    case "account":
    case "schedule":
      return these(await namesInFleet(name, { url: read.given.get("url") }, caller));
    case "dir":
    case "file":
    case "folder":
    case "path":
      return FILES;
    default:
      return NOTHING;
  }
}

function whichRuns({ given }: ReadWords): WhichRuns {
  const stateDir = given.get("state-dir");
  if (stateDir !== undefined) return { stateDir };
  if (given.has("no-fleet")) return { fleet: false };
  return given.has("fleet") ? { fleet: true } : {};
}

function commandsOf(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((each) => ({ value: each.name(), about: each.description() }));
}

function choicesOf({ argChoices }: Option | Argument): Completion | null {
  return argChoices === undefined ? null : these(argChoices.map((value) => ({ value, about: "" })));
}

function these(candidates: readonly Candidate[]): Completion {
  return { candidates, files: false };
}

function flagsOf(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  const shown = help.visibleOptions(command);
  // The help hides the `--no-` form of a switch.
  const negative = command.options.filter(
    ({ negate, long }) =>
      negate && shown.some((one) => one.long === long?.replace("--no-", "--") && !one.required),
  );
  return [...shown, ...negative].flatMap(({ long, description }) =>
    long === undefined ? [] : [{ value: long, about: description }],
  );
}

/** `run` of `--from-run <run>`. */
function valueName({ flags }: Option): string {
  return /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";
}

/** The words before the cursor, parsed like a command line. */
interface ReadWords {
  /** The command or nested command. */
  readonly command: Command;
  /** The option whose value is completed; null for another word. */
  readonly option: Option | null;
  readonly isFlag: boolean;
  /** The part of the completed word before the cursor. */
  readonly partial: string;
  /** A prefix of all candidates: `--format=` if the value is in one word with it. */
  readonly prefix: string;
  /** The arguments without the names of commands. */
  readonly named: readonly string[];
  /** Values by the names of their flags; empty for a flag without value. */
  readonly given: ReadonlyMap<string, string>;
}

function readWords(root: Command, words: readonly string[]): ReadWords {
  const last = words.at(-1) ?? "";
  // bash splits words at =, and passes it as a word.
  const before = words.slice(0, -1).filter((word) => word !== "=");
  const typed = last === "=" ? "" : last;
  let command = root;
  let open: Option | null = null;
  let isPlain = false;
  const named: string[] = [];
  const given = new Map<string, string>();
  for (const word of before) {
    if (open !== null && !(open.optional && word.startsWith("-"))) {
      given.set(open.name(), word);
      open = open.variadic ? open : null;
    } else if (word === "--" && !isPlain) {
      isPlain = true;
      open = null;
    } else if (word.startsWith("-") && !isPlain) {
      const [flag = "", value] = word.split(/=(.*)/s);
      const option = optionOf(command, flag);
      const takesValue = option !== null && (option.required || option.optional);
      if (option !== null && value !== undefined) given.set(option.name(), value);
      open = value === undefined && takesValue ? option : null;
      if (option !== null && !takesValue) given.set(flag.slice(2), "");
    } else {
      const sub: Command | undefined =
        named.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (sub === undefined) named.push(word);
      else command = sub;
    }
  }
  const read = { command, isFlag: false, prefix: "", named, given };
  const [, flag, value = ""] = /^(--[\w-]+)=(.*)$/s.exec(typed) ?? [];
  const joined = flag === undefined || isPlain ? null : optionOf(command, flag);
  if (joined !== null && (joined.required || joined.optional)) {
    return { ...read, option: joined, partial: value, prefix: `${flag ?? ""}=` };
  }
  const isFlag = typed.startsWith("-") && !isPlain;
  const option = open?.optional === true && typed.startsWith("-") ? null : open;
  return { ...read, option, isFlag: option === null && isFlag, partial: typed };
}

function optionOf(command: Command, flag: string): Option | null {
  return command.options.find(({ long, short }) => long === flag || short === flag) ?? null;
}
