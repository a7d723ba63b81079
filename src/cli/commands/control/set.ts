import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { type ResultSet, setResult } from "../../../run/control/set-result.ts";
import type { Wanted } from "../../../wire/stores.ts";
import { printJson } from "../../output.ts";
import {
  actionOnRuns,
  examples,
  JSON_OBJECT,
  RUN_HELP,
  runSelection,
} from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { EXIT } from "../../words/exit-codes.ts";
import { resultSetWords } from "../../words/outcome-words.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<run>", RUN_HELP)
    .argument("<agent>", "Agent whose step ends")
    .option("--result <text>", "The result; other users can see it in the process list")
    .option("--result-file <file>", "Read the result from a file; - reads standard input")
    .option("--reason <text>", "Why, for the event log")
    .option("--resume", "Resume the run if no process is running it")
    .option(...JSON_OBJECT);
  runSelection(command)
    .addHelpText(
      "after",
      examples(
        ["raymond set k3x9qd main --result done", "Continue after a failed or stuck step"],
        ["raymond set k3x9qd main_a1 --result-file out.md --reason 'API was down'", "The same"],
      ),
    )
    .action(actionOnRuns(shell, setCommand));
}

interface SetOptions extends Wanted {
  readonly agent: string;
  readonly result?: string;
  readonly resultFile?: string;
  readonly reason?: string;
  readonly resume?: true;
  readonly json?: true;
}

/** Returns 0 if the result was saved, and with `--resume` the exit code of the run. */
export async function setCommand(options: SetOptions, shell: Shell): Promise<number> {
  const { run, agent, reason, resume, json, stateDir } = options;
  const result = await resultOf(options, shell);
  const set = await setResult({ run, agent, result, reason, stateDir }, shell);
  const failed = set.outcome === "no-reaction";
  const resumes = resume === true && set.outcome === "kept";
  if (json === true) printJson(shell.out, resultSetJson(set));
  else (failed ? shell.err : shell.out).line(resultSetWords(set, resumes));
  if (!resumes) return failed ? EXIT.failed : EXIT.completed;
  const { resumeCommand } = await import("../run/resume.ts");
  const resumeOptions = {
    ...(stateDir !== undefined && { stateDir }),
    ...(json !== undefined && { json }),
    // The same runs as for the result, whatever the environment says.
    fleet: shell.fleet !== undefined,
  };
  return resumeCommand(set.id, resumeOptions, shell);
}

async function resultOf({ result, resultFile }: SetOptions, shell: Shell): Promise<string> {
  if (result !== undefined && resultFile !== undefined) {
    throw cliErrors["cli/flag-conflict"](
      "--result and --result-file cannot be combined.",
      "Use only one of them.",
    );
  }
  if (result !== undefined) return result;
  if (resultFile === undefined) throw cliErrors["cli/no-result-given"]();
  if (resultFile === "-") return shell.readStdin();
  try {
    return await readFile(path.resolve(shell.cwd, resultFile), "utf8");
  } catch (error) {
    throw cliErrors["cli/unreadable-result"](resultFile, error);
  }
}

function resultSetJson(set: ResultSet): object {
  const { id, agent, state, outcome } = set;
  return {
    ...{ workflow_id: id, agent, state },
    outcome: outcome.replace("-", "_"),
    next: "next" in set ? set.next : null,
  };
}
