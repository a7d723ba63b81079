import type { Command } from "commander";
import { parseDurationFlag } from "../../../config/flags.ts";
import { formatEvent } from "../../../console/format/format-event.ts";
import { type Stopped, type StopSignal, stop } from "../../../run/control/stop.ts";
import { stopAfterSteps } from "../../../run/control/stop-after-steps.ts";
import { takeOverEvent } from "../../../run/record-input.ts";
import type { Wanted } from "../../../wire/stores.ts";
import { actionOnRuns, runArgument, runSelection, TAKE_OVER } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { stoppingWords } from "../../words/outcome-words.ts";
import { processLine } from "../../words/words.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .option("--after-steps", "Let steps in flight finish first, and do not wait for them")
    .option("--timeout <duration>", "Kill steps in flight after DURATION (default: 90s)")
    .option(...TAKE_OVER);
  runSelection(command).action(actionOnRuns(shell, stopCommand));
}

interface StopOptions extends Wanted {
  readonly timeout?: string;
  readonly takeOver?: true;
  readonly afterSteps?: true;
}

/** Returns 0 only if no process of the run is alive, else 1. */
export async function stopCommand(options: StopOptions, shell: Shell): Promise<ExitCode> {
  const { timeout, afterSteps, ...wanted } = options;
  const { out, err, style } = shell;
  if (afterSteps === true) return stopGently(options, shell);
  const timeoutMs = timeout === undefined ? undefined : parseDurationFlag("--timeout", timeout);
  const report = ({ pid, signal, urgency }: StopSignal) => {
    // Windows has no signals.
    const by = process.platform === "win32" ? "" : ` (${signal})`;
    err.line(`Process ${String(pid)} ${URGENCIES[urgency]}${by} …`);
  };
  const { id, ending, takenFrom, status, ended, left, next, answerWith } = await stop(
    { ...wanted, timeoutMs, onSignal: report },
    shell,
  );
  if (takenFrom !== null) {
    for (const { text } of formatEvent(takeOverEvent(id, takenFrom, shell.actor()))) err.line(text);
  }
  out.line(`${id} ${ENDINGS[ending]}: ${status}.`);
  if (ended.length > 0) {
    out.line("Ended orphan processes:");
    for (const found of ended) out.line(`  ${processLine(found)}`);
  }
  for (const command of answerWith) out.line(`Answer with: ${command}`);
  if (next !== null) out.line(`Resume with: ${next}`);
  if (left.length === 0) return EXIT.completed;
  err.line(style.error("still alive:"));
  for (const found of left) err.line(`  ${processLine(found)}`);
  return EXIT.failed;
}

async function stopGently(
  { timeout, takeOver, ...wanted }: StopOptions,
  { out, err, ...caller }: Shell,
): Promise<ExitCode> {
  const flag = timeout === undefined ? "--take-over" : "--timeout";
  if (timeout !== undefined || takeOver === true) {
    throw cliErrors["cli/flag-conflict"](
      `--after-steps and ${flag} cannot be combined.`,
      "Use only one of them. --after-steps kills nothing.",
    );
  }
  const stopping = await stopAfterSteps(wanted, caller);
  const failed = stopping.outcome === "no-reaction";
  (failed ? err : out).line(stoppingWords(stopping));
  return failed ? EXIT.failed : EXIT.completed;
}

const URGENCIES: { readonly [Each in StopSignal["urgency"]]: string } = {
  interrupt: "is stopping; steps in flight are interrupted",
  "kill-steps": "is taking too long; steps in flight are killed",
  kill: "does not respond and is killed",
};

const ENDINGS: { readonly [Each in Stopped["ending"]]: string } = {
  "not-running": "is not running",
  ended: "has stopped",
  killed: "was killed",
  "taken-over": "is no longer locked",
};
