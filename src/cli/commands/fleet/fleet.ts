import type { Command } from "commander";
import { accountCells } from "../../../console/format/account-cells.ts";
import { localMoment, zoneName } from "../../../console/local-time.ts";
import { type FleetOverview, overview } from "../../../fleet/admin/overview.ts";
import { accountJson } from "../../../inspect/json/fleet-json.ts";
import { counted } from "../../../language/basics/counted.ts";
import { machineState } from "../../../log/machine-state.ts";
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
  const runs = [...fleet.runs].map(([status, count]) => `${String(count)} ${status}`);
  const entries = [
    labelled("fleet", fleet.shown),
    labelled("machines", machineText(fleet.machines)),
    labelled("runs", runs.join(", ") || "none yet"),
    ...listed("queues", fleet.queues.map(queueText)),
    ...listed("accounts", limitedAccounts(fleet, now)),
    ...listed("schedules", scheduleText(fleet, now)),
    asIs(0, ""),
    labelled("next", ""),
    ...nextOf(fleet).flatMap(({ about, command }) => [below(2, `to ${about}:`), asIs(4, command)]),
  ];
  return layOut(entries, shell.outColumns);
}

function overviewJson(fleet: FleetOverview): object {
  const { machines, due, paused } = fleet;
  const { counts, ...slots } = totalsOf(machines);
  const [first] = due;
  return {
    database: fleet.shown,
    machines: counts,
    ...slots,
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

/** The slots are those of working machines. */
function totalsOf(machines: FleetOverview["machines"]) {
  const counts = { working: 0, draining: 0, drained: 0, gone: 0 };
  for (const machine of machines) counts[machineState(machine)] += 1;
  const working = machines.filter((machine) => machineState(machine) === "working");
  return {
    counts,
    slots: working.reduce((sum, { slots }) => sum + slots, 0),
    slots_taken: working.reduce((sum, { activeRuns }) => sum + activeRuns, 0),
  };
}

function machineText(machines: FleetOverview["machines"]): string {
  if (machines.length === 0) return "none yet";
  const { counts, slots, slots_taken: used } = totalsOf(machines);
  const { working, ...others } = counts;
  const unhealthy = machines.filter(
    ({ lives, clientProblems }) => lives && Object.keys(clientProblems).length > 0,
  ).length;
  return [
    working === 0
      ? "none working"
      : `${String(working)} working, ${String(used)} of ${counted(slots, "slot")} in use`,
    ...Object.entries({ ...others, "without a working client": unhealthy }).flatMap(
      ([state, count]) => (count === 0 ? [] : `${String(count)} ${state}`),
    ),
  ].join("; ");
}

function queueText(queue: FleetOverview["queues"][number]): string {
  const { machine, pool, account, runs, later, first } = queue;
  const whose = machine === null ? `pool ${pool}` : `machine ${machine}`;
  const paid = account === null ? "" : `, account ${account}`;
  const starts = `${String(later)} of them ${later === 1 ? "starts" : "start"} later`;
  const waiting = later === 0 ? "" : `, ${starts}`;
  return `${whose}${paid}: ${counted(runs, "run")}${waiting}, first ${first}${queueProblem(queue)}`;
}

function queueProblem({ served, lacksClient, drained }: FleetOverview["queues"][number]): string {
  if (served) return "";
  if (lacksClient) return "; no machine for it has a working client";
  return drained ? "; its machines are drained" : "; no worker can claim it";
}

/** Accounts that delay runs, or are at a limit. */
function limitedAccounts({ accounts }: FleetOverview, now: number): readonly string[] {
  return accounts.flatMap((account) => {
    const { blocked } = accountCells(accountJson(account), now);
    const reasons = [account.waiting === 0 ? "" : `${String(account.waiting)} waiting`, blocked];
    const text = reasons.filter(Boolean).join("; ");
    return text === "" ? [] : `${account.name}: ${text}`;
  });
}

function scheduleText({ due, paused }: FleetOverview, now: number): readonly string[] {
  const [first] = due;
  if (first === undefined && paused === 0) return [];
  const next =
    first === undefined
      ? ""
      : `${String(due.length)} due, next ${first.name} ${localMoment(first.next.getTime(), now)} (${zoneName(now)})`;
  return [[next, paused === 0 ? "" : `${String(paused)} paused`].filter(Boolean).join("; ")];
}

interface NextCommand {
  readonly about: string;
  readonly command: string;
}

/** The next commands, the most urgent first. */
function nextOf({ machines, runs, queues, accounts }: FleetOverview): readonly NextCommand[] {
  const next: NextCommand[] = [];
  const add = (isNeeded: boolean, about: string, command: string) => {
    if (isNeeded) next.push({ about, command });
  };
  const isStranded = queues.some(({ served }) => !served) && machines.length > 0;
  const isLimited = accounts.some(({ waiting, cooldown }) => waiting > 0 || cooldown !== null);
  const failed = ["failed", "crashed"].find((status) => (runs.get(status) ?? 0) > 0) ?? "";
  add(!machines.some(({ lives }) => lives), "start a worker on each machine", "raymond worker");
  add(isStranded, "show runs that no worker can claim", "raymond doctor --fleet");
  add(isLimited, "show limits and use of accounts", "raymond fleet limits");
  add(failed !== "", `list ${failed} runs`, `raymond list --fleet --status ${failed}`);
  add(runs.size === 0, "submit a run", "raymond submit WORKFLOW");
  add(next.length === 0, "list runs", "raymond list --fleet");
  return next;
}
