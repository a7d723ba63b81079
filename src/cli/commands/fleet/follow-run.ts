import type { RunId } from "../../../machine/run-state.ts";
import type { RunOptions } from "../../parse/run-options.ts";
import type { Shell } from "../../shell.ts";
import { onceOnSignals, SIGNALS } from "../../signals.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { watchRun } from "../inspect/attach.ts";
import { openFleetOf } from "./in-fleet.ts";

/**
 * Shows a run of a fleet until it ends, and returns its exit code. A signal ends the command and not the run. If the
 * database becomes unavailable, the command waits for it.
 */
export async function followRun(
  run: RunId,
  { url, ...options }: RunOptions & { readonly url?: string },
  shell: Shell,
): Promise<ExitCode> {
  if (options.quiet !== true) shell.err.line(`submitted ${run}`);
  const control = new AbortController();
  let code: ExitCode = EXIT.interrupted;
  const stopListening = onceOnSignals(SIGNALS, (signal) => {
    code = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
    control.abort();
  });
  const fleet = await openFleetOf(shell, { url }, true);
  try {
    const leaving = { control, words: detachedText, code: () => code };
    return await watchRun({ ...options, live: run }, { ...shell, fleet }, leaving);
  } finally {
    stopListening();
    await fleet.close();
  }
}

function detachedText({ id }: { readonly id: RunId }): string {
  return `${id} continues in the fleet. Watch it with: raymond attach ${id}. Stop it with: raymond stop ${id}`;
}
