import type { Command } from "commander";
import type { MachineStatus } from "../../../fleet/lease/machines.ts";
import { machineJson } from "../../../inspect/json/fleet-json.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { machineState } from "../../../log/machine-state.ts";
import { FLEET_URL, JSON_LINES } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { type FleetOptions, withFleet } from "./in-fleet.ts";
import { printList } from "./print-list.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option(...JSON_LINES)
    .option(...FLEET_URL)
    .action(async (options: FleetOptions) => {
      const machines = await withFleet(options, shell, (fleet) => fleet.machines());
      printList(machines, FORMAT, options, shell);
      if (options.json === true) return;
      for (const line of machines.flatMap(clientLines)) shell.err.line(line);
    });
}

const FORMAT = {
  /** `at home`: unfinished runs whose files are on the machine. */
  headings: ["machine", "state", "slots", "at home", "pools", "accounts", "version"],
  cells: (machine: MachineStatus) => {
    const { id, slots, activeRuns, runs, pools, accounts, version } = machine;
    const used = `${String(activeRuns)} of ${String(slots)}`;
    const shownAccounts = accounts.join(" ") || "–";
    return [id, stateOf(machine), used, String(runs), pools.join(" "), shownAccounts, version];
  },
  json: machineJson,
  empty: "No worker has been started yet. Start one with: raymond worker",
};

function stateOf(machine: MachineStatus): string {
  const { draining, silentMs, clientProblems } = machine;
  const silent = silentMs === null ? "" : ` for ${formatDuration(silentMs)}`;
  const state = machineState(machine);
  if (state === "gone") return `gone${silent}${draining ? ", drained" : ""}`;
  const isUnhealthy = state === "working" && Object.keys(clientProblems).length > 0;
  const shown = isUnhealthy ? "working, client unhealthy" : state;
  return (silentMs ?? 0) > LONG_MS ? `${shown}, silent${silent}` : shown;
}

/** Three times the default interval of heartbeats. */
const LONG_MS = 15_000;

function clientLines({ id, lives, clientProblems }: MachineStatus): readonly string[] {
  if (!lives) return [];
  return Object.entries(clientProblems).map(([account, problem]) => {
    const whose =
      account === ""
        ? "without an account"
        : account.startsWith("on ")
          ? account
          : `of the account ${account}`;
    return `${id} claims no runs with prompts ${whose}: ${problem}`;
  });
}
