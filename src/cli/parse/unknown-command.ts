import { type Stats, statSync } from "node:fs";
import path from "node:path";
import { nearest } from "../../language/basics/nearest.ts";
import { EXTENSIONS } from "../../language/workflow/files/state-name.ts";
import type { Shell } from "../shell.ts";
import { cliErrors } from "../words/errors.ts";

/** The commands and options of raymond, with the names of similar commands in other programs. */
export const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  list: ["ls", "ps", "runs"],
  show: ["history", "steps", "timeline"],
  stop: ["kill", "abort", "cancel", "end", "pause"],
  logs: ["log", "tail", "follow", "watch"],
  why: ["reason"],
  "diff-runs": ["compare"],
  status: ["info", "inspect"],
  run: ["start", "exec"],
  resume: ["continue", "restart"],
  prune: ["rm", "delete", "remove", "clean", "gc"],
  cost: ["costs", "money", "usage"],
  doctor: ["check"],
  lint: ["validate", "verify"],
  init: ["create", "scaffold", "template", "templates"],
  tour: ["demo", "tutorial"],
  "--init-config": ["config"],
  "--version": ["version"],
};

/** The command or option that was probably meant by a word. Null if it resembles none. */
export function meantBy(word: string, commands: readonly string[]): string | null {
  const [synonym] =
    Object.entries(SYNONYMS).find(([, names]) => names.includes(word.toLowerCase())) ?? [];
  return synonym ?? nearest(word, commands);
}

/**
 * Throws if the first word of the command line is neither a command nor a workflow here but resembles a command or a
 * run. Called before the options are checked, which would otherwise be those of a run.
 */
export function refuseUnknownCommand(
  [word = ""]: readonly string[],
  commands: readonly string[],
  cwd: string,
): void {
  if (commands.includes(word)) return;
  refuseRunByForm(word, cwd);
  if (!/^[a-z][a-z-]*$/i.test(word)) return;
  const meant = meantBy(word, commands);
  if (meant === null || exists(path.join(cwd, word))) return;
  throw cliErrors["workflow/not-found"](word, "command", meant);
}

/** Throws if a run is named where a workflow belongs. */
export async function refuseRun(
  word: string,
  { stateDir }: { readonly stateDir?: string },
  shell: Shell,
): Promise<void> {
  refuseRunByForm(word, shell.cwd);
  if (/[/\\]/.test(word) || exists(path.resolve(shell.cwd, word))) return;
  const { isRunName } = await import("../../wire/stores.ts");
  if (await isRunName({ run: word, stateDir }, shell)) {
    throw cliErrors["workflow/not-found"](word, "run");
  }
}

/** Throws for a word that has the form of a run, whether that run exists or not. */
function refuseRunByForm(word: string, cwd: string): void {
  const file = path.resolve(cwd, word);
  if (word.endsWith(".json")) {
    const found = statsOf(file);
    if (found === null) throw cliErrors["workflow/not-found"](word, "missing-file");
    if (found.isFile()) throw cliErrors["workflow/not-a-workflow"](word);
  } else if (/^(?:latest$|wf-\d{4}-)/.test(word) && !word.includes("/") && !exists(file)) {
    throw cliErrors["workflow/not-found"](word, "like-a-run");
  }
}

/** A workflow may be named without its extension. */
function exists(file: string): boolean {
  return ["", ...EXTENSIONS].some((extension) => statsOf(`${file}${extension}`) !== null);
}

/** Synchronous: every command calls it, and `node:fs/promises` takes longer to load. */
function statsOf(file: string): Stats | null {
  try {
    return statSync(file);
  } catch {
    return null;
  }
}
