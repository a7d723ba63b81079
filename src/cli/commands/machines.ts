import { formatDuration } from "../../core/duration.ts";
import { machineJson } from "../../runs/json/fleet-json.ts";
import { openFleetOf } from "../in-fleet.ts";
import type { Shell } from "../shell.ts";
import { formatTable } from "../table.ts";

interface MachinesOptions {
  readonly url?: string;
  readonly json?: true;
}

/** `raymond machines`: the machines of a fleet, and what they do. */
export async function machinesCommand(options: MachinesOptions, shell: Shell): Promise<void> {
  const fleet = await openFleetOf(shell, options);
  try {
    const machines = await fleet.machines();
    if (options.json === true) {
      for (const machine of machines) shell.out.line(JSON.stringify(machineJson(machine)));
      return;
    }
    if (machines.length === 0) {
      shell.err.line("No machine has been seen yet. Start a worker on one: raymond worker");
      return;
    }
    const rows = machines.map((machine) => {
      const { id, lives, draining, heardAt, pools, slots, runs, version } = machine;
      const ago = heardAt === null ? "" : ` for ${formatDuration(shell.now() - heardAt.getTime())}`;
      const state = lives ? (draining ? "drained" : "works") : `gone${ago}`;
      return [id, state, pools.join(" "), `${String(runs)} of ${String(slots)}`, version];
    });
    const table = [["machine", "state", "pools", "runs", "version"], ...rows];
    for (const line of formatTable(table, ["left", "left", "left", "left", "left"]))
      shell.out.line(line);
  } finally {
    await fleet.close();
  }
}
