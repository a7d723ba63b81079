import { type Stats, statSync } from "node:fs";
import path from "node:path";
import { nearest } from "../core/nearest.ts";
import { EXTENSIONS } from "../core/workflow/state-name.ts";
import { MistypedCommandError, RunForWorkflowError } from "./errors.ts";

/** What people type who know other programs, and the command or option that does it here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["ls", "list"],
  ["ps", "list"],
  ["runs", "list"],
  ["history", "show"],
  ["kill", "stop"],
  ["abort", "stop"],
  ["cancel", "stop"],
  ["end", "stop"],
  ["pause", "stop"],
  ["log", "logs"],
  ["tail", "logs"],
  ["follow", "logs"],
  ["watch", "logs"],
  ["reason", "why"],
  ["steps", "show"],
  ["timeline", "show"],
  ["diff", "diff-runs"],
  ["compare", "diff-runs"],
  ["info", "status"],
  ["inspect", "status"],
  ["start", "run"],
  ["exec", "run"],
  ["continue", "resume"],
  ["restart", "resume"],
  ["retry", "retry-now"],
  ["rm", "prune"],
  ["delete", "prune"],
  ["remove", "prune"],
  ["clean", "prune"],
  ["gc", "prune"],
  ["costs", "cost"],
  ["money", "cost"],
  ["usage", "cost"],
  ["check", "doctor"],
  ["validate", "lint"],
  ["verify", "lint"],
  ["create", "init"],
  ["scaffold", "init"],
  ["template", "init"],
  ["templates", "init"],
  ["config", "--init-config"],
  ["version", "--version"],
  ["demo", "tour"],
  ["tutorial", "tour"],
]);

/** The command, of these, or the option that was probably meant by a word; null where it is far from all. */
export function meantBy(word: string, commands: readonly string[]): string | null {
  return ELSEWHERE.get(word.toLowerCase()) ?? nearest(word, commands);
}

/**
 * Throws when the first word of the command line is no command and no workflow
 * here, before its options are judged as those of a run: a MistypedCommandError
 * for a word that is near to a command, a RunForWorkflowError for what looks
 * like a run.
 */
export function refuseMistyped(
  args: readonly string[],
  commands: readonly string[],
  cwd: string,
): void {
  const [word = ""] = args;
  if (commands.includes(word)) return;
  refuseRunByLook(word, cwd);
  if (!/^[a-z][a-z-]*$/i.test(word)) return;
  const meant = meantBy(word, commands);
  if (meant === null || isThere(path.join(cwd, word))) return;
  throw new MistypedCommandError(word, meant);
}

/** Throws a RunForWorkflowError for what is a run by its look, whether there is such a run or not. */
export function refuseRunByLook(word: string, cwd: string): void {
  const place = path.resolve(cwd, word);
  if (word.endsWith(".json")) {
    const found = statsOf(place);
    if (found === null) throw new RunForWorkflowError(word, "missing-file");
    if (found.isFile()) throw new RunForWorkflowError(word, "state-file");
  } else if (/^(?:latest$|wf-\d{4}-)/.test(word) && !word.includes("/") && !isThere(place)) {
    throw new RunForWorkflowError(word, "like-a-run");
  }
}

/** Whether a workflow may be meant: its extension may be left out. */
export function isThere(place: string): boolean {
  return ["", ...EXTENSIONS].some((ending) => statsOf(`${place}${ending}`) !== null);
}

/** Asked at once: every command asks, and `node:fs/promises` takes longer to load. */
function statsOf(place: string): Stats | null {
  try {
    return statSync(place);
  } catch {
    return null;
  }
}
