import type { RunId } from "../core/machine/run-state.ts";
import { watchRun } from "./commands/attach.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { openFleetOf } from "./in-fleet.ts";
import type { RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";
import { hearOnce, SIGNALS } from "./signals.ts";

/**
 * Shows a run of the fleet until it has ended, as if it were driven here, and returns its exit code. A signal
 * leaves it alone, and a database that goes away meanwhile is waited for.
 */
export async function untilEnd(
  run: RunId,
  { url, ...options }: RunOptions & { readonly url?: string },
  shell: Shell,
): Promise<ExitCode> {
  if (options.quiet !== true) shell.err.line(`submitted ${run}`);
  const control = new AbortController();
  let code: ExitCode = EXIT.interrupted;
  const stopHearing = hearOnce(SIGNALS, (signal) => {
    code = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
    control.abort();
  });
  const fleet = await openFleetOf(shell, { url }, true);
  try {
    const shown = { ...options, live: run };
    return await watchRun(shown, { ...shell, fleet }, { control, words, code: () => code });
  } finally {
    stopHearing();
    await fleet.close();
  }
}

function words({ id }: { readonly id: RunId }): string {
  return `${id} goes on in the fleet. To watch it again: raymond attach ${id}; to end it: raymond stop ${id}`;
}
