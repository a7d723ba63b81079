import type { Command } from "commander";
import { type Retried, retry } from "../../../run/control/retry.ts";
import type { WantedAgents } from "../../../wire/stores.ts";
import { printJson } from "../../output.ts";
import { actionOnRuns, JSON_OBJECT, runArgument, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { retriedWords } from "../../words/outcome-words.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .argument("[agent]", "Only this agent (default: all agents that wait)")
    .option(...JSON_OBJECT);
  runSelection(command).action(actionOnRuns(shell, retryCommand));
}

/** Returns 1 if the owner of the run does not respond, or if the given agent does not wait and others do. */
export async function retryCommand(
  { json, ...wanted }: WantedAgents & { readonly json?: true },
  shell: Shell,
): Promise<ExitCode> {
  const retried = await retry(wanted, shell);
  const failed = isFailure(retried, wanted);
  if (json === true) printJson(shell.out, retriedJson(retried));
  else {
    const out = failed || retried.outcome === "not-waiting" ? shell.err : shell.out;
    out.line(retriedWords(retried, wanted.agent));
  }
  return failed ? EXIT.failed : EXIT.completed;
}

function isFailure(retried: Retried, { agent }: WantedAgents): boolean {
  if (retried.outcome === "no-reaction") return true;
  // A given agent that does not wait, while others do, is probably a mistake.
  return retried.outcome === "not-waiting" && agent !== undefined && retried.waiting.length > 0;
}

function retriedJson(retried: Retried): object {
  return {
    workflow_id: retried.id,
    outcome: retried.outcome.replace("-", "_"),
    agents: "agents" in retried ? retried.agents : [],
    next: "next" in retried ? retried.next : null,
  };
}
