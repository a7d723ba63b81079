import type { RunId } from "../core/machine/run-state.ts";
import { watchRun } from "./commands/attach.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { openFleetOf } from "./in-fleet.ts";
import type { RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";

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
  const left = (signal: NodeJS.Signals) => {
    code = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
    control.abort();
  };
  // Once: whoever repeats it wants to be out at once.
  for (const signal of SIGNALS) process.once(signal, left);
  const fleet = await openFleetOf(shell, { url }, true);
  try {
    const shown = { ...options, live: run };
    return await watchRun(shown, { ...shell, fleet }, { control, words, code: () => code });
  } finally {
    for (const signal of SIGNALS) process.off(signal, left);
    await fleet.close();
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function words({ id }: { readonly id: RunId }): string {
  return `${id} goes on in the fleet. To watch it again: raymond attach ${id}; to end it: raymond stop ${id}`;
}
