import type { Blocker, Remedy } from "../../../engine/ports/store.ts";
import type { FleetAccount } from "../../../inspect/fleet-board.ts";
import { counted } from "../../../language/basics/counted.ts";
import { DEFAULT_AGENT } from "../../../language/basics/default-agent.ts";
import { DEFAULT_POOL } from "../../../language/basics/default-pool.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { printRate } from "../../../language/basics/rate.ts";
import { problemWith } from "../../lease/client-problems.ts";
import type { MachineStatus } from "../../lease/machines.ts";
import { refusalOf } from "../../policy/policy.ts";
import {
  isTied,
  type MachineId,
  type PlacedRun,
  placementVerdict,
} from "../../store/rows/placement.ts";

export interface QueuedFacts {
  readonly run: PlacedRun;
  /** Scheduled start in the future, epoch ms. */
  readonly startsAt: number | null;
  /** It has started before, so the rate limit of its account does not apply. */
  readonly hasStarted: boolean;
  readonly machines: readonly MachineStatus[];
  readonly account: FleetAccount | null;
  /** Number of runs before it in its queue. */
  readonly before: number;
}

/** Why a run is queued; empty if a worker is about to claim it. Pure. */
export function whyQueued(facts: QueuedFacts): readonly Blocker[] {
  const { run, startsAt } = facts;
  if (startsAt !== null) {
    return [
      blocker(`starts at ${new Date(startsAt).toISOString()}`, [
        { purpose: "start it now", command: `retry ${run.id}` },
        { purpose: "cancel it", command: `stop ${run.id}` },
      ]),
    ];
  }
  const machines = candidatesOf(facts);
  const reason =
    noMachine(machines, facts) ?? limitReached(facts) ?? noSlot(machines.allowing, facts);
  return reason === null ? [] : [reason];
}

/** Machines that may claim the run. Each list is a part of the one before. */
interface Candidates {
  /** The only machine that may claim it; null: any of its pool. */
  readonly only: MachineId | null;
  readonly all: readonly MachineStatus[];
  readonly withAccount: readonly MachineStatus[];
  readonly alive: readonly MachineStatus[];
  readonly inService: readonly MachineStatus[];
  readonly healthy: readonly MachineStatus[];
  /** Their policies allow the run. */
  readonly allowing: readonly MachineStatus[];
}

function candidatesOf({ run, machines }: QueuedFacts): Candidates {
  const { pool, account, pinned } = run.placement;
  const only = pinned ?? (isTied(run) ? run.home : null);
  const all = machines.filter(({ id, pools }) =>
    only === null ? pools.includes(pool) : id === only,
  );
  const withAccount = all.filter(({ accounts }) => account === null || accounts.includes(account));
  const alive = withAccount.filter(({ lives }) => lives);
  const inService = alive.filter(({ draining }) => !draining);
  const healthy = inService.filter((machine) => clientProblem(machine, run) === null);
  const allowing = healthy.filter(({ policy }) => refusalOf(policy, run.placement) === null);
  return { only, all, withAccount, alive, inService, healthy, allowing };
}

/** Why the client of a machine cannot answer prompts of the run; null if it can, or if there are none. */
function clientProblem(
  { clientProblems: problems, missingAgents: missing }: MachineStatus,
  { placement }: PlacedRun,
): string | null {
  const { account, withoutClient, needs } = placement;
  if (withoutClient === true) return null;
  return problemWith({ problems, missing }, account, needs?.agents ?? [DEFAULT_AGENT]);
}

/** Why no machine can claim it; null if one can. */
function noMachine(
  { only, all, withAccount, alive, inService, healthy, allowing }: Candidates,
  facts: QueuedFacts,
): Blocker | null {
  const { run, machines } = facts;
  const { pool, account } = run.placement;
  if (allowing.length > 0) return only === null ? deadHome(facts) : null;
  if (healthy.length > 0) return refused(healthy, run);
  const [unhealthy] = inService;
  if (unhealthy !== undefined) {
    const problem = clientProblem(unhealthy, run) ?? "";
    const more =
      inService.length === 1 ? "" : `; the same holds for ${namesOf(inService.slice(1))}`;
    return blocker(`waits for a working client on machine ${unhealthy.id}${more}. ${problem}`, [
      { purpose: "show the clients of all machines", command: "fleet workers" },
    ]);
  }
  if (only !== null) {
    const machine = machines.find(({ id }) => id === only);
    if (machine?.lives !== true) return deadMachine(only, machine?.silentMs ?? null, run);
  }
  const [drained] = alive;
  if (drained !== undefined) {
    const names = alive.map(({ id, activeRuns }) => (activeRuns > 0 ? `${id} (draining)` : id));
    return blocker(`waits, because all machines that may run it are drained: ${names.join(", ")}`, [
      { purpose: "return one to service", command: `fleet drain ${drained.id} --end` },
    ]);
  }
  if (account !== null) {
    const dead =
      withAccount.length === 0 ? "no machine serves it" : `gone: ${namesOf(withAccount)}`;
    return blocker(`waits for a worker that serves account ${account} (${dead})`);
  }
  const dead = all.length === 0 ? "none has been seen yet" : `gone: ${namesOf(all)}`;
  const flag = pool === DEFAULT_POOL ? "" : ` --pool ${pool}`;
  return blocker(`waits for a worker of pool ${pool} (${dead})`, [
    { purpose: "start one on a machine of that pool", command: `worker${flag}` },
  ]);
}

/** The policies of all machines that could claim it refuse it. */
function refused(machines: readonly MachineStatus[], { placement }: PlacedRun): Blocker {
  const reasons = machines.map(
    ({ id, policy }) => `${id}: ${refusalOf(policy, placement) ?? "unknown"}`,
  );
  const shown = reasons.slice(0, MAX_NAMES).join("; ");
  const more = reasons.length > MAX_NAMES ? `; and ${String(reasons.length - MAX_NAMES)} more` : "";
  return blocker(`is refused by the policy of each worker that could run it: ${shown}${more}`, [
    { purpose: "show the workers", command: "fleet workers" },
  ]);
}

/** Its only machine is dead. */
function deadMachine(id: MachineId, silentMs: number | null, run: PlacedRun): Blocker {
  if (isTied(run) && id === run.home) {
    const behind = run.snapshot?.behind ?? null;
    const why = behind === null ? "" : `, and could not be pushed: ${behind}`;
    return blocker(`waits for its home ${id}: its files are there${why}`);
  }
  const since = silentMs === null ? "" : ` for ${formatDuration(silentMs)}`;
  return blocker(`waits for machine ${id}, which is gone${since}`, [
    { purpose: "move it to another machine", command: `fleet move ${run.id} --to MACHINE` },
  ]);
}

/** It waits for its home until the failover time has passed. */
function deadHome({ run, machines }: QueuedFacts): Blocker | null {
  const home = machines.find(({ id }) => id === run.home);
  if (home === undefined || home.silentMs === null) return null;
  const verdict = placementVerdict(run, home);
  if (verdict.kind !== "wait") return null;
  const gone = `is gone for ${formatDuration(home.silentMs)}`;
  return blocker(
    `waits for its home ${home.id}, which ${gone}; another machine may claim it in ${formatDuration(verdict.ms)}`,
    [{ purpose: "move it to another machine now", command: `fleet move ${run.id} --to MACHINE` }],
  );
}

/** The account limit that blocks its start; null if none does. */
function limitReached({ account, hasStarted }: QueuedFacts): Blocker | null {
  if (account === null) return null;
  const { name, runs, started, limits } = account;
  const showLimits = [{ purpose: "show the limits of the account", command: "fleet limits" }];
  if (limits.runs !== null && runs >= limits.runs) {
    return blocker(
      `waits for the run limit of account ${name} (${String(runs)} of ${String(limits.runs)} running)`,
      showLimits,
    );
  }
  if (hasStarted || limits.rate === null || started < limits.rate.runs) return null;
  return blocker(
    `waits for the rate limit of account ${name} (${String(started)} of ${printRate(limits.rate)} started)`,
    showLimits,
  );
}

/** Null if one of the machines has a free slot. */
function noSlot(machines: readonly MachineStatus[], { before }: QueuedFacts): Blocker | null {
  if (machines.some(({ activeRuns, slots }) => activeRuns < slots)) return null;
  const slots = machines.reduce((sum, machine) => sum + machine.slots, 0);
  const position =
    before === 0 ? "next in its queue" : `${counted(before, "run", "runs")} before it in its queue`;
  const used =
    slots === 1
      ? `the slot of ${namesOf(machines)} is in use`
      : `all ${String(slots)} slots of ${namesOf(machines)} are in use`;
  return blocker(`waits for a slot: ${used}; ${position}`);
}

function blocker(message: string, remedies: readonly Remedy[] = []): Blocker {
  return { agent: null, message, remedies };
}

const MAX_NAMES = 5;

function namesOf(machines: readonly MachineStatus[]): string {
  const names = machines.slice(0, MAX_NAMES).map(({ id }) => id);
  const more = machines.length - names.length;
  return names.join(", ") + (more === 0 ? "" : ` and ${String(more)} more`);
}
