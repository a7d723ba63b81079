import { formatDuration } from "../../core/duration.ts";
import type { SeenMachine } from "../../fleet/open.ts";
import { machineState } from "../../observers/machine-state.ts";
import { machineJson } from "../../runs/json/fleet-json.ts";
import { openFleetOf } from "../in-fleet.ts";
import type { Shell } from "../shell.ts";
import { formatTable } from "../table.ts";

interface MachinesOptions {
  readonly url?: string;
  readonly json?: true;
}

const HEADINGS = ["machine", "state", "slots", "at home", "pools", "accounts", "version"];
const ALIGNMENTS = HEADINGS.map(() => "left" as const);

/** `slots`: how many of them are taken; `at home`: runs that are not over, and whose files are there. */
function cells(machine: SeenMachine): readonly string[] {
  const { id, slots, inHand, runs, pools, accounts, version } = machine;
  const taken = `${String(inHand)} of ${String(slots)}`;
  const home = String(runs);
  return [id, stateOf(machine), taken, home, pools.join(" "), accounts.join(" ") || "–", version];
}

function stateOf(machine: SeenMachine): string {
  const { draining, silentMs } = machine;
  const silent = silentMs === null ? "" : ` for ${formatDuration(silentMs)}`;
  const state = machineState(machine);
  if (state === "gone") return `gone${silent}${draining ? ", drained" : ""}`;
  const isUnhealthy = Object.keys(machine.clientProblems).length > 0;
  const works = isUnhealthy ? "works, client unhealthy" : "works";
  const shown = state === "working" ? works : state;
  return (silentMs ?? 0) > LONG_MS ? `${shown}, silent${silent}` : shown;
}

/** Why a machine claims no runs with prompts. */
function clientLines({ id, lives, clientProblems }: SeenMachine): readonly string[] {
  if (!lives) return [];
  return Object.entries(clientProblems).map(([account, problem]) => {
    const whose = account === "" ? "without an account" : `of the account ${account}`;
    return `${id} claims no runs with prompts ${whose}: ${problem}`;
  });
}

/** Who works is heard every five seconds, where nothing else is said. */
const LONG_MS = 15_000;

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
    for (const line of formatTable([HEADINGS, ...machines.map(cells)], ALIGNMENTS)) {
      shell.out.line(line.trimEnd());
    }
    for (const line of machines.flatMap(clientLines)) shell.err.line(line);
  } finally {
    await fleet.close();
  }
}
