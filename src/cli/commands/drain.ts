import { counted } from "../../core/counted.ts";
import { openFleetOf } from "../in-fleet.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";

interface DrainOptions {
  readonly machine: string;
  readonly move?: true;
  readonly end?: true;
  readonly url?: string;
  readonly json?: true;
}

/** `raymond drain`: lets a machine take no more runs, or take them again. */
export async function drainCommand(options: DrainOptions, shell: Shell): Promise<void> {
  const { machine, json } = options;
  const { drain, endDrain } = await import("../../fleet/drain.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    if (options.end === true) {
      await endDrain(machine, fleet);
      if (json === true) printJson(shell.out, { machine, draining: false, moved: [], left: [] });
      else shell.out.line(`${machine} takes runs again, when its worker is started.`);
      return;
    }
    const { moved, left } = await drain(machine, options.move === true, fleet, shell);
    if (json === true) {
      printJson(shell.out, { machine, draining: true, moved, left });
      return;
    }
    for (const id of moved) shell.out.line(`${id} goes on elsewhere.`);
    shell.out.line(
      left.length === 0
        ? `${machine} takes no more runs.`
        : `${machine} takes no more runs, and goes on with ${counted(left.length, "run")} until they end: ${left.join(", ")}`,
    );
  } finally {
    await fleet.close();
  }
}
