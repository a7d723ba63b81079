import { FlagConflictError } from "../errors.ts";
import { openFleetOf } from "../in-fleet.ts";
import type { Shell } from "../shell.ts";

interface MoveOptions {
  readonly run: string;
  readonly to?: string;
  readonly url?: string;
}

/** `raymond move`: has another machine go on with a run. */
export async function moveCommand(options: MoveOptions, shell: Shell): Promise<void> {
  const { run, to } = options;
  if (to === undefined) {
    throw new FlagConflictError(
      "It is not said where the run is to go on.",
      "Give --to MACHINE; raymond machines shows them.",
    );
  }
  const { move } = await import("../../fleet/drain.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    shell.out.line(`${await move(run, to, fleet, shell)} goes on on ${to}.`);
  } finally {
    await fleet.close();
  }
}
