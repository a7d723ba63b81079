import { parseDurationFlag } from "../../config/flags.ts";
import { formatEvent } from "../../observers/format-event.ts";
import { type Stopped, stop, type Told } from "../../runs/stop.ts";
import { stopAfterSteps } from "../../runs/stop-after-steps.ts";
import { takenOver } from "../../runs/taken-over.ts";
import type { Wanted } from "../../runs/wire/stores.ts";
import { FlagConflictError } from "../errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { stoppingWords } from "../outcome-words.ts";
import { processLine } from "../process-line.ts";
import type { Shell } from "../shell.ts";

interface StopOptions extends Wanted {
  readonly timeout?: string;
  readonly takeOver?: true;
  readonly afterSteps?: true;
}

/** `raymond stop`: ends a run from another terminal. Returns 0 only when nothing of it is alive; 1 names what is. */
export async function stopCommand(options: StopOptions, shell: Shell): Promise<ExitCode> {
  const { timeout, afterSteps, ...wanted } = options;
  const { out, err, style } = shell;
  if (afterSteps === true) return stopGently(options, shell);
  const timeoutMs = timeout === undefined ? undefined : parseDurationFlag("--timeout", timeout);
  const told = ({ pid, signal, urgency }: Told) => {
    // On Windows there are no signals: what is asked for is all there is to say.
    const by = process.platform === "win32" ? "" : ` (${signal})`;
    err.line(`The process ${String(pid)} ${URGENCIES[urgency]}${by} …`);
  };
  const { id, ending, takenFrom, status, ended, left, next, answerWith } = await stop(
    { ...wanted, timeoutMs, told },
    shell,
  );
  if (takenFrom !== null) {
    for (const { text } of formatEvent(takenOver(id, takenFrom))) err.line(text);
  }
  out.line(`${id} ${ENDINGS[ending]}: ${status}.`);
  if (ended.length > 0) {
    out.line("It had left behind, now ended:");
    for (const found of ended) out.line(`  ${processLine(found)}`);
  }
  for (const command of answerWith) out.line(`Answer with: ${command}`);
  if (next !== null) out.line(`Go on with: ${next}`);
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
    const hint = "Leave one of them away: nothing is killed, and nobody is taken for dead.";
    throw new FlagConflictError(`--after-steps and ${flag} contradict each other.`, hint);
  }
  const stopping = await stopAfterSteps(wanted, caller);
  const failed = stopping.outcome === "no-reaction";
  (failed ? err : out).line(stoppingWords(stopping));
  return failed ? EXIT.failed : EXIT.completed;
}

const URGENCIES: { readonly [Each in Told["urgency"]]: string } = {
  interrupt: "stops; steps in flight are interrupted",
  "kill-steps": "takes too long; steps in flight are killed",
  kill: "does not react, and is killed",
};

const ENDINGS: { readonly [Each in Stopped["ending"]]: string } = {
  "nobody-held-it": "does not run",
  ended: "has stopped",
  killed: "was killed",
  "taken-over": "is held no more",
};
