import type { Command, Option } from "commander";
import type { Caller } from "../../runs/caller.ts";
import type { WhichRuns } from "../in-fleet.ts";
import { choicesOf } from "./choices.ts";
import { namesInFleet } from "./fleet-names.ts";
import {
  type Candidate,
  runsHere,
  statesEntered,
  statesOf,
  templatesHere,
  workflowsAt,
} from "./names.ts";
import { type ReadWords, readWords, type Wanted } from "./wanted.ts";

/** What the shell is to offer: candidates, and files as it finds them itself. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly files: boolean;
}

/** What can be meant by the last word of a command line; what cannot be read offers nothing. */
export async function complete(
  root: Command,
  words: readonly string[],
  caller: Caller,
): Promise<Completion> {
  const read = readWords(root, words);
  const offers = await Promise.all(read.wanted.map((wanted) => offer(wanted, read, root, caller)));
  const fitting = offers
    .flatMap(({ candidates }) => candidates)
    .filter(({ value }) => value.startsWith(read.partial))
    .map(({ value, about }) => ({ value: `${read.prefix}${value}`, about }));
  return { candidates: fitting, files: offers.some(({ files }) => files) };
}

const NOTHING: Completion = { candidates: [], files: false };
const FILES: Completion = { candidates: [], files: true };

async function offer(
  wanted: Wanted,
  read: ReadWords,
  root: Command,
  caller: Caller,
): Promise<Completion> {
  switch (wanted.kind) {
    case "nothing":
      return NOTHING;
    case "flag":
      return these(flagsOf(wanted.command));
    case "command":
      return these(root.commands.map((one) => ({ value: one.name(), about: one.description() })));
    case "value": {
      const { command, option } = wanted;
      const choices = await choicesOf(command.name(), option);
      if (choices !== null) return these(choices.map((value) => ({ value, about: "" })));
      return byName(valueName(option), read, caller);
    }
    case "argument": {
      const { command, argument } = wanted;
      if (command.name() === "help" && argument.name() === "topic") {
        const commands = root.commands.map((one) => ({
          value: one.name(),
          about: one.description(),
        }));
        return these([...commands, ...(await workflowsAt(read.partial, caller))]);
      }
      const choices = await choicesOf(command.name(), argument);
      if (choices !== null) return these(choices.map((value) => ({ value, about: "" })));
      return byName(argument.name(), read, caller);
    }
  }
}

/** What is offered for the names that arguments and values have in the help. */
async function byName(name: string, read: ReadWords, caller: Caller): Promise<Completion> {
  switch (name) {
    case "workflow":
    case "paths":
      return these(await workflowsAt(read.partial, caller));
    case "run":
    case "other":
    case "id":
    case "question":
      return these(await runsHere(whichRuns(read), caller));
    case "state":
      return these(await statesOf(read.given.get("in") ?? read.named[0] ?? ".", caller));
    case "step":
      return these(await statesEntered(read.named[0] ?? "latest", whichRuns(read), caller));
    case "template":
      return these(templatesHere());
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

function these(candidates: readonly Candidate[]): Completion {
  return { candidates, files: false };
}

function flagsOf(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  const shown = help.visibleOptions(command);
  // The other form of a switch is not shown in the help, and can be typed.
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
