import type { Command } from "commander";
import { accountCells } from "../../../console/format/account-cells.ts";
import { localMoment, zoneName } from "../../../console/local-time.ts";
import { type FleetOverview, overview } from "../../../fleet/admin/overview.ts";
import { accountJson } from "../../../inspect/json/fleet-json.ts";
import { counted } from "../../../language/basics/counted.ts";
import { type MachineState, machineState } from "../../../log/machine-state.ts";
import { printJson } from "../../output.ts";
import { examples, FLEET_URL, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { asIs, below, type Entry, labelled, layOut } from "../../status/layout.ts";
import { type FleetOptions, withFleet } from "./in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option(...FLEET_URL)
    .option(...JSON_OBJECT)
    .addHelpText(
      "after",
      examples(
        ["raymond fleet dev", "Start a temporary database, until Ctrl-C"],
        ["raymond fleet init", "Prepare the database that RAYMOND_FLEET names, once"],
        ["raymond fleet", "Show the status of the fleet and what to do next"],
      ),
    )
    .action(async (options: FleetOptions) => {
      const fleet = await withFleet(options, shell, overview);
      if (options.json === true) printJson(shell.out, overviewJson(fleet));
      else for (const line of overviewLines(fleet, shell)) shell.out.line(line);
    });
}

function overviewLines(fleet: FleetOverview, shell: Shell): readonly string[] {
  const now = shell.now();
  return layOut(
    [
      labelled("fleet", fleet.shown),
      labelled("machines", machineWords(fleet)),
      labelled("runs", runWords(fleet)),
      ...listed("queues", fleet.queues.map(queueWords)),
      ...listed("accounts", limitedAccounts(fleet, now)),
      ...scheduleEntries(fleet, now),
      asIs(0, ""),
      labelled("next", ""),
      ...nextOf(fleet).flatMap(({ about, command }) => [
        below(2, `to ${about}:`),
        asIs(4, command),
      ]),
    ],
    shell.outColumns,
  );
}

function overviewJson(fleet: FleetOverview): object {
  const { machines, due, paused } = fleet;
  const [first] = due;
  return {
    database: fleet.shown,
    machines: countsOf(fleet),
    ...slotsOf(machines),
    runs: Object.fromEntries(fleet.runs),
    queues: fleet.queues.map(
      ({ machine, pool, account, runs, later, first: id, served, drained }) => ({
        ...{ machine, pool, account, runs, later, first: id, served, drained },
      }),
    ),
    accounts: fleet.accounts.map(accountJson),
    schedules: {
      due: due.length,
      paused,
      next: first === undefined ? null : { name: first.name, at: first.next.toISOString() },
    },
    next: nextOf(fleet).map(({ command }) => command),
  };
}

function listed(label: string, lines: readonly string[]): readonly Entry[] {
  return lines.map((line, at) => labelled(at === 0 ? label : "", line));
}

function countsOf({ machines }: FleetOverview) {
  const count = (wanted: MachineState) =>
    machines.filter((machine) => machineState(machine) === wanted).length;
  return {
    ...{ working: count("working"), draining: count("draining") },
    ...{ drained: count("drained"), gone: count("gone") },
  };
}

/** Slots of machines that claim runs. */
function slotsOf(machines: FleetOverview["machines"]) {
  const taking = machines.filter((machine) => machineState(machine) === "working");
  return {
    slots: taking.reduce((sum, { slots }) => sum + slots, 0),
    slots_taken: taking.reduce((sum, { activeRuns }) => sum + activeRuns, 0),
  };
}

function machineWords(fleet: FleetOverview): string {
  if (fleet.machines.length === 0) return "none yet";
  const { working, draining, drained, gone } = countsOf(fleet);
  const { slots, slots_taken: taken } = slotsOf(fleet.machines);
  const unhealthy = fleet.machines.filter(
    ({ lives, clientProblems }) => lives && Object.keys(clientProblems).length > 0,
  ).length;
  return [
    working === 0
      ? "none working"
      : `${String(working)} working, ${String(taken)} of ${counted(slots, "slot")} in use`,
    ...(draining === 0 ? [] : [`${String(draining)} draining`]),
    ...(drained === 0 ? [] : [`${String(drained)} drained`]),
    ...(gone === 0 ? [] : [`${String(gone)} gone`]),
    ...(unhealthy === 0 ? [] : [`${String(unhealthy)} without a working client`]),
  ].join("; ");
}

function runWords({ runs }: FleetOverview): string {
  if (runs.size === 0) return "none yet";
  return [...runs].map(([status, count]) => `${String(count)} ${status}`).join(", ");
}

function queueWords(queue: FleetOverview["queues"][number]): string {
  const { machine, pool, account, runs, later, first, served, drained, lacksClient } = queue;
  const whose = machine === null ? `pool ${pool}` : `machine ${machine}`;
  const paid = account === null ? "" : `, account ${account}`;
  const waiting =
    later === 0 ? "" : `, ${String(later)} of them ${later === 1 ? "starts" : "start"} later`;
  const problem = served
    ? ""
    : lacksClient
      ? "; no machine for it has a working client"
      : drained
        ? "; its machines are drained"
        : "; no worker can claim it";
  return `${whose}${paid}: ${counted(runs, "run")}${waiting}, first ${first}${problem}`;
}

/** Accounts that delay runs, or are at a limit. */
function limitedAccounts({ accounts }: FleetOverview, now: number): readonly string[] {
  return accounts.flatMap((account) => {
    const { blocked } = accountCells(accountJson(account), now);
    const waiting = account.waiting === 0 ? [] : [`${String(account.waiting)} waiting`];
    const all = [...waiting, ...(blocked === "" ? [] : [blocked])];
    return all.length === 0 ? [] : `${account.name}: ${all.join("; ")}`;
  });
}

function scheduleEntries({ due, paused }: FleetOverview, now: number): readonly Entry[] {
  const [first] = due;
  if (first === undefined && paused === 0) return [];
  const next =
    first === undefined
      ? []
      : [
          `${String(due.length)} due, next ${first.name} ${localMoment(first.next.getTime(), now)} (${zoneName(now)})`,
        ];
  const rest = paused === 0 ? [] : [`${String(paused)} paused`];
  return [labelled("schedules", [...next, ...rest].join("; "))];
}

interface Next {
  readonly about: string;
  readonly command: string;
}

/** The next commands, the most urgent first. */
function nextOf({ machines, runs, queues, accounts }: FleetOverview): readonly Next[] {
  const isTrouble = (status: string) => (runs.get(status) ?? 0) > 0;
  const failed = ["failed", "crashed"].find(isTrouble);
  const next: readonly (Next | null)[] = [
    machines.some(({ lives }) => lives)
      ? null
      : { about: "start a worker on each machine", command: "raymond worker" },
    queues.some(({ served }) => !served) && machines.length > 0
      ? { about: "show runs that no worker can claim", command: "raymond doctor --fleet" }
      : null,
    accounts.some(({ waiting, cooldown }) => waiting > 0 || cooldown !== null)
      ? { about: "show limits and use of accounts", command: "raymond fleet limits" }
      : null,
    failed === undefined
      ? null
      : { about: `list ${failed} runs`, command: `raymond list --fleet --status ${failed}` },
    runs.size === 0 ? { about: "submit a run", command: "raymond submit WORKFLOW" } : null,
  ];
  const wanted = next.filter((each) => each !== null);
  return wanted.length > 0 ? wanted : [{ about: "list runs", command: "raymond list --fleet" }];
}
