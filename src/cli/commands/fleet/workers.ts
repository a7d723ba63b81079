import type { Command } from "commander";
import type { SeenMachine } from "../../../fleet/admin/open.ts";
import { machineJson } from "../../../inspect/json/fleet-json.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { machineState } from "../../../log/machine-state.ts";
import { FLEET_URL, JSON_LINES } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { formatTable } from "../../words/table.ts";
import { openFleetOf } from "./in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option(...JSON_LINES)
    .option(...FLEET_URL)
    .action((options: WorkersOptions) => listWorkers(options, shell));
}

interface WorkersOptions {
  readonly url?: string;
  readonly json?: true;
}

const HEADINGS = ["machine", "state", "slots", "at home", "pools", "accounts", "version"];
const ALIGNMENTS = HEADINGS.map(() => "left" as const);

/** `at home`: unfinished runs whose files are on the machine. */
function cells(machine: SeenMachine): readonly string[] {
  const { id, slots, activeRuns, runs, pools, accounts, version } = machine;
  const taken = `${String(activeRuns)} of ${String(slots)}`;
  const home = String(runs);
  return [id, stateOf(machine), taken, home, pools.join(" "), accounts.join(" ") || "–", version];
}

function stateOf(machine: SeenMachine): string {
  const { draining, silentMs } = machine;
  const silent = silentMs === null ? "" : ` for ${formatDuration(silentMs)}`;
  const state = machineState(machine);
  if (state === "gone") return `gone${silent}${draining ? ", drained" : ""}`;
  const isUnhealthy = Object.keys(machine.clientProblems).length > 0;
  const works = isUnhealthy ? "working, client unhealthy" : "working";
  const shown = state === "working" ? works : state;
  return (silentMs ?? 0) > LONG_MS ? `${shown}, silent${silent}` : shown;
}

function clientLines({ id, lives, clientProblems }: SeenMachine): readonly string[] {
  if (!lives) return [];
  return Object.entries(clientProblems).map(([account, problem]) => {
    const whose = account === "" ? "without an account" : `of the account ${account}`;
    return `${id} claims no runs with prompts ${whose}: ${problem}`;
  });
}

/** Three times the default interval of heartbeats. */
const LONG_MS = 15_000;

async function listWorkers(options: WorkersOptions, shell: Shell): Promise<void> {
  const fleet = await openFleetOf(shell, options);
  try {
    const machines = await fleet.machines();
    if (options.json === true) {
      for (const machine of machines) shell.out.line(JSON.stringify(machineJson(machine)));
      return;
    }
    if (machines.length === 0) {
      shell.err.line("No worker has been started yet. Start one with: raymond worker");
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
