import { counted } from "../core/counted.ts";
import type { FleetOverview } from "../fleet/overview.ts";
import { accountCells } from "../observers/account-cells.ts";
import { localMoment, zoneName } from "../observers/local-time.ts";
import { type MachineState, machineState } from "../observers/machine-state.ts";
import { accountJson } from "../runs/json/fleet-json.ts";
import { asIs, below, type Entry, labelled, layOut } from "./status/layout.ts";

/** A fleet on one page, for people; `width` is that of the terminal. */
export function formatOverview(
  fleet: FleetOverview,
  now: number,
  width: number | null,
): readonly string[] {
  return layOut(
    [
      labelled("fleet", fleet.shown),
      labelled("machines", machineWords(fleet)),
      labelled("runs", runWords(fleet)),
      ...listed("queues", fleet.queues.map(queueWords)),
      ...listed("accounts", keptAccounts(fleet, now)),
      ...scheduleEntries(fleet, now),
      asIs(0, ""),
      labelled("next", ""),
      ...nextOf(fleet).flatMap(({ about, command }) => [
        below(2, `to ${about}:`),
        asIs(4, command),
      ]),
    ],
    width,
  );
}

/** The same for scripts. */
export function overviewJson(fleet: FleetOverview): object {
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

/** Of those that take runs. */
function slotsOf(machines: FleetOverview["machines"]) {
  const taking = machines.filter((machine) => machineState(machine) === "working");
  return {
    slots: taking.reduce((sum, { slots }) => sum + slots, 0),
    slots_taken: taking.reduce((sum, { inHand }) => sum + inHand, 0),
  };
}

function machineWords(fleet: FleetOverview): string {
  if (fleet.machines.length === 0) return "none has been seen yet";
  const { working, draining, drained, gone } = countsOf(fleet);
  const { slots, slots_taken: taken } = slotsOf(fleet.machines);
  const unhealthy = fleet.machines.filter(
    ({ lives, clientProblems }) => lives && Object.keys(clientProblems).length > 0,
  ).length;
  return [
    working === 0
      ? "none takes runs"
      : `${counted(working, "takes", "take")} runs, ${String(taken)} of ${counted(slots, "slot")} taken`,
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
    later === 0 ? "" : `, ${String(later)} of them ${later === 1 ? "begins" : "begin"} later`;
  const nobody = served
    ? ""
    : lacksClient
      ? "; no machine for it has a working client"
      : drained
        ? "; who would take it is drained"
        : "; nobody is there to take it";
  return `${whose}${paid}: ${counted(runs, "run")}${waiting}, first ${first}${nobody}`;
}

/** Accounts that keep somebody waiting, or would. */
function keptAccounts({ accounts }: FleetOverview, now: number): readonly string[] {
  return accounts.flatMap((account) => {
    const { kept } = accountCells(accountJson(account), now);
    const waiting = account.waiting === 0 ? [] : [`${String(account.waiting)} wait for it`];
    const all = [...waiting, ...(kept === "" ? [] : [kept])];
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

/** What to do next, the most urgent first. */
function nextOf({ machines, runs, queues, accounts }: FleetOverview): readonly Next[] {
  const isTrouble = (status: string) => (runs.get(status) ?? 0) > 0;
  const failed = ["failed", "crashed"].find(isTrouble);
  const next: readonly (Next | null)[] = [
    machines.some(({ lives }) => lives)
      ? null
      : { about: "have runs taken, on each machine", command: "raymond worker" },
    queues.some(({ served }) => !served) && machines.length > 0
      ? { about: "see what nobody takes, and why", command: "raymond doctor --fleet" }
      : null,
    accounts.some(({ waiting, cooldown }) => waiting > 0 || cooldown !== null)
      ? { about: "see what accounts may do, and do", command: "raymond limits" }
      : null,
    failed === undefined
      ? null
      : { about: `see what has ${failed}`, command: `raymond list --fleet --status ${failed}` },
    runs.size === 0 ? { about: "hand a run over", command: "raymond submit WORKFLOW" } : null,
  ];
  const wanted = next.filter((each) => each !== null);
  return wanted.length > 0 ? wanted : [{ about: "see the runs", command: "raymond list --fleet" }];
}
