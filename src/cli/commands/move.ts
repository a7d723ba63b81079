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

/** `raymond move`: moves a run to another machine. */
export async function moveCommand(options: MoveOptions, shell: Shell): Promise<void> {
  const { run, to, json } = options;
  if (to === undefined) {
    throw new FlagConflictError(
      "No machine is given.",
      "Give --to MACHINE. raymond machines lists them.",
    );
  }
  const { move } = await import("../../fleet/drain.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    const moved = await move(run, to, fleet, shell);
    if (json === true) {
      printJson(shell.out, {
        workflow_id: moved.run,
        machine: to,
        outcome: moved.outcome,
        waits: moved.waits,
      });
    } else shell.out.line(toldOf(moved, to));
  } finally {
    await fleet.close();
  }
}

function toldOf({ run, outcome, waits }: Moved, to: string): string {
  if (outcome === "completed") return `${run} completed before it could be moved.`;
  if (outcome === "requested") {
    return `${run} is to be moved to ${to}: its worker has not released it yet. See: raymond status ${run}`;
  }
  switch (waits) {
    case null:
      return `${run} is moved to ${to}.`;
    case "gone":
      return `${run} waits for ${to}, which is gone. Start its worker (raymond worker, there), or move the run on: raymond move ${run} --to MACHINE`;
    case "drained":
      return `${run} waits for ${to}, which is drained. Return it to service (raymond drain ${to} --end), or move the run on: raymond move ${run} --to MACHINE`;
  }
}
