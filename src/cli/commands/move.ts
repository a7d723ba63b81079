import type { Moved } from "../../fleet/drain.ts";
import { FlagConflictError } from "../errors.ts";
import { openFleetOf } from "../in-fleet.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";

interface MoveOptions {
  readonly run: string;
  readonly to?: string;
  readonly url?: string;
  readonly json?: true;
}

/** `raymond move`: has another machine go on with a run. */
export async function moveCommand(options: MoveOptions, shell: Shell): Promise<void> {
  const { run, to, json } = options;
  if (to === undefined) {
    throw new FlagConflictError(
      "It is not said where the run is to go on.",
      "Give --to MACHINE; raymond machines shows them.",
    );
  }
  const { move } = await import("../../fleet/drain.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    const moved = await move(run, to, fleet, shell);
    if (json === true) {
      printJson(shell.out, { workflow_id: moved.run, machine: to, waits: moved.waits });
    } else shell.out.line(toldOf(moved, to));
  } finally {
    await fleet.close();
  }
}

function toldOf({ run, waits }: Moved, to: string): string {
  switch (waits) {
    case null:
      return `${run} goes on on ${to}.`;
    case "gone":
      return `${run} waits for ${to}, which is gone. Start its worker (raymond worker, there), or move the run on: raymond move ${run} --to MACHINE`;
    case "drained":
      return `${run} waits for ${to}, which is drained. Let it take runs again (raymond drain ${to} --end), or move the run on: raymond move ${run} --to MACHINE`;
  }
}
