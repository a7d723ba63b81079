import type { Command } from "commander";
import {
  type Divergence,
  type Replay,
  type ReplayOptions,
  replay,
} from "../../../author/replay.ts";
import { firstLine } from "../../../console/format/first-line.ts";
import { counted } from "../../../language/basics/counted.ts";
import { diffLines } from "../../../language/basics/line-diff.ts";
import { formatUsd, toUsd } from "../../../language/basics/money.ts";
import { printTransition } from "../../../language/protocol/print.ts";
import { printable } from "../../../log/printable.ts";
import type { Decision } from "../../../machine/decide/decision.ts";
import { printGatedTransitions } from "../../../machine/model/gate.ts";
import { printJson } from "../../output.ts";
import { actionOnRuns, JSON_OBJECT, runArgument, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { inColour } from "../../testing/text.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .option("--workflow <path>", "Use this workflow instead of that of the run")
    .option(...JSON_OBJECT);
  runSelection(command).action(actionOnRuns(shell, replayCommand));
}

interface Options extends ReplayOptions {
  readonly json?: true;
}

/** Returns 1 if the run diverges. */
export async function replayCommand(options: Options, shell: Shell): Promise<ExitCode> {
  const replayed = await replay(options, shell);
  if (options.json === true) printJson(shell.out, replayJson(replayed));
  else for (const line of formatReplay(replayed)) shell.out.line(inColour(line, shell.style));
  return replayed.divergence === null ? EXIT.completed : EXIT.failed;
}

export function formatReplay(replayed: Replay): readonly string[] {
  const { run, attempts, valid, costMicroUsd, validMicroUsd, divergence, unknownPrompts } =
    replayed;
  const sums = `${String(valid)} of ${counted(attempts, "attempt")}, ${formatUsd(validMicroUsd)} of ${formatUsd(costMicroUsd)}`;
  const head =
    divergence === null
      ? [`${run.id} would not change: ${counted(attempts, "attempt")}, ${formatUsd(costMicroUsd)}.`]
      : [
          `${run.id} diverges in ${divergence.state}: ${divergence.agent}, step ${String(divergence.process)}.`,
          ...whyOf(divergence),
          `Valid up to there: ${sums}.`,
        ];
  const unknown = `${counted(unknownPrompts, "prompt")} could not be compared: no debug file has ${unknownPrompts === 1 ? "it" : "them"}.`;
  const later = replayed.beginsLater === null ? [] : [`Not evaluated: ${replayed.beginsLater}.`];
  return [...head, ...(unknownPrompts === 0 ? [] : [unknown]), ...later].map(printable);
}

function whyOf({ why }: Divergence): readonly string[] {
  switch (why.kind) {
    case "prompt":
      return [
        "The prompt has changed (- recorded, + now):",
        ...diffLines(why.recorded.split("\n"), why.now.split("\n")).map((line) => `  ${line}`),
      ];
    case "decision":
      return [
        "The same output leads to another state (- recorded, + now):",
        `  - ${formatDecision(why.recorded)}`,
        `  + ${formatDecision(why.now)}`,
      ];
  }
}

function replayJson(replayed: Replay): object {
  const { run, attempts, valid, costMicroUsd, validMicroUsd, divergence, unknownPrompts } =
    replayed;
  return {
    workflow_id: run.id,
    same: divergence === null,
    attempts,
    valid_attempts: valid,
    cost_usd: toUsd(costMicroUsd),
    valid_usd: toUsd(validMicroUsd),
    prompts_not_compared: unknownPrompts,
    not_replayed: replayed.beginsLater,
    divergence: divergence === null ? null : divergenceJson(divergence),
  };
}

function divergenceJson({ agent, state, process, why }: Divergence): object {
  const words =
    why.kind === "prompt"
      ? { recorded: why.recorded, now: why.now }
      : { recorded: formatDecision(why.recorded), now: formatDecision(why.now) };
  return { agent, state, process, why: why.kind, ...words };
}

/** The result of an outcome, in words. */
function formatDecision(decision: Decision): string {
  switch (decision.kind) {
    case "move": {
      const tags = decision.transitions.map((one) => firstLine(printTransition(one))).join(" ");
      return decision.implied ? `${tags} (implied)` : tags;
    }
    case "verify":
      return `${firstLine(printGatedTransitions(decision.gate))} after the gate ${decision.gate.checks[0]?.state ?? ""}`;
    case "pass":
      return "the gate passes";
    case "send-back":
      return `the gate fails, back to the agent: ${firstLine(decision.problem)}`;
    case "remind":
      return `a reminder: ${firstLine(decision.fault.message)}`;
    case "ask-permission":
      return `a question about ${counted(decision.calls.length, "denied tool call")}`;
    case "continue":
    case "again":
    case "reenter":
    case "forget":
      return `another attempt: ${firstLine(decision.problem)}`;
    case "retry":
      return `another attempt: ${firstLine(decision.failure.message)}`;
    case "divert":
    case "hand-over":
      return `on to ${decision.target}: ${firstLine(decision.problem)}`;
    case "halt":
      return `a stop: ${firstLine(decision.problem)}`;
    case "limit":
      return `a wait: ${firstLine(decision.message)}`;
    case "cancelled":
      return "an interruption";
    case "fail":
      return `a failure: ${firstLine(decision.failure.message)}`;
  }
}
