import type { Blocker, Remedy } from "../../../engine/ports/store.ts";
import { counted } from "../../../language/basics/counted.ts";
import { DEFAULT_POOL } from "../../../language/basics/default-pool.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { printRate } from "../../../language/basics/rate.ts";
import type { MachineStatus } from "../../lease/machines.ts";
import { type MachineId, type PlacedRun, placementVerdict } from "../../store/rows/placement.ts";
import type { AccountStatus } from "../accounts.ts";

/** What tells why nobody goes on with a run that somebody is to go on with. */
export interface QueuedFacts {
  readonly run: PlacedRun;
  /** Its files are at its home, and nowhere else. */
  readonly isTied: boolean;
  /** When it is to begin, epoch ms, where that is still to come. */
  readonly beginsAt: number | null;
  /** It has started before, so the rate limit of its account does not apply. */
  readonly hasStarted: boolean;
  /** All machines of the fleet. */
  readonly machines: readonly MachineStatus[];
  /** Who pays for it, with what that does now; null where it has none. */
  readonly account: AccountStatus | null;
  /** Runs that came into its queue before it and wait there. */
  readonly before: number;
}

/**
 * Why a run of the fleet is queued: nothing where a worker is about to take it. What `submit`, `status`, `why`,
 * `show` and the dashboard say of it is this. Pure.
 */
export function whyQueued(facts: QueuedFacts): readonly Blocker[] {
  const { run, beginsAt, account } = facts;
  if (beginsAt !== null) {
    return [
      held(`starts at ${new Date(beginsAt).toISOString()}`, [
        { purpose: "start it now", command: `retry ${run.id}` },
        { purpose: "cancel it", command: `stop ${run.id}` },
      ]),
    ];
  }
  const missing = missingMachine(facts);
  if (missing !== null) return [missing];
  const limit = account === null ? null : limitWords(account, facts);
  if (limit !== null) {
    const raise = { purpose: "show the limits of the account", command: `limits` };
    return [held(limit, [raise])];
  }
  const slots = slotWords(facts);
  return slots === null ? [] : [held(slots)];
}

/** Why no machine can claim it; null if one can. */
function missingMachine(facts: QueuedFacts): Blocker | null {
  const { run, machines, isTied } = facts;
  const { pool, account } = run.placement;
  const only = onlyMachine(facts);
  const may = machinesFor(facts);
  const having = may.filter(({ accounts }) => account === null || accounts.includes(account));
  const living = having.filter(({ lives }) => lives);
  const [drained] = living;
  const taking = living.filter(({ draining }) => !draining);
  if (taking.some((machine) => clientProblem(machine, facts) === null)) {
    return isTied || only !== null ? null : deadHome(facts);
  }
  const [unhealthy] = taking;
  if (unhealthy !== undefined) {
    const problem = clientProblem(unhealthy, facts) ?? "";
    const more = taking.length === 1 ? "" : `; the same holds for ${namesOf(taking.slice(1))}`;
    return held(`waits for a working client on machine ${unhealthy.id}${more}. ${problem}`, [
      { purpose: "show the clients of all machines", command: "machines" },
    ]);
  }
  if (only !== null) {
    const machine = machines.find(({ id }) => id === only);
    if (machine?.lives !== true) return deadMachine(only, machine ?? null, facts);
  }
  if (drained !== undefined) {
    const names = living.map(({ id, activeRuns }) => (activeRuns > 0 ? `${id} (draining)` : id));
    return held(`waits, because all machines that may run it are drained: ${names.join(", ")}`, [
      { purpose: "return one to service", command: `drain ${drained.id} --end` },
    ]);
  }
  if (account !== null) {
    const who = having.length === 0 ? "no machine serves it" : `gone: ${namesOf(having)}`;
    return held(`waits for a worker that serves account ${account} (${who})`);
  }
  const who = may.length === 0 ? "none has been seen yet" : `gone: ${namesOf(may)}`;
  const flag = pool === DEFAULT_POOL ? "" : ` --pool ${pool}`;
  return held(`waits for a worker of pool ${pool} (${who})`, [
    { purpose: "start one on a machine of that pool", command: `worker${flag}` },
  ]);
}

/** Its only machine is dead. */
function deadMachine(
  id: MachineId,
  machine: MachineStatus | null,
  { run, isTied }: QueuedFacts,
): Blocker {
  const since = machine?.silentMs == null ? "" : ` for ${formatDuration(machine.silentMs)}`;
  if (isTied && id === run.home) {
    const behind = run.snapshot?.behind ?? null;
    const why = behind === null ? "" : `, and could not be pushed: ${behind}`;
    return held(`waits for its home ${id}: its files are there${why}`);
  }
  return held(`waits for machine ${id}, which is gone${since}`, [
    { purpose: "move it to another machine", command: `move ${run.id} --to MACHINE` },
  ]);
}

/** It waits for its home until the failover time has passed. */
function deadHome({ run, machines }: QueuedFacts): Blocker | null {
  const home = machines.find(({ id }) => id === run.home);
  if (home === undefined || home.silentMs === null) return null;
  const verdict = placementVerdict(run, { lives: home.lives, silentMs: home.silentMs });
  if (verdict.kind !== "wait") return null;
  const gone = `is gone for ${formatDuration(home.silentMs)}`;
  return held(
    `waits for its home ${home.id}, which ${gone}; another machine may claim it in ${formatDuration(verdict.ms)}`,
    [{ purpose: "move it to another machine now", command: `move ${run.id} --to MACHINE` }],
  );
}

/** The account limit that blocks its start; null if none does. */
function limitWords(account: AccountStatus, { hasStarted }: QueuedFacts): string | null {
  const { name, runs, started, limits } = account;
  if (limits.runs !== null && runs >= limits.runs) {
    return `waits for the run limit of account ${name} (${String(runs)} of ${String(limits.runs)} running)`;
  }
  if (hasStarted || limits.rate === null || started < limits.rate.runs) return null;
  return `waits for the rate limit of account ${name} (${String(started)} of ${printRate(limits.rate)} started)`;
}

/** All that may take it are full; null where one is not. */
function slotWords(facts: QueuedFacts): string | null {
  const { account } = facts.run.placement;
  const taking = machinesFor(facts).filter(
    (machine) =>
      machine.lives &&
      !machine.draining &&
      (account === null || machine.accounts.includes(account)) &&
      clientProblem(machine, facts) === null,
  );
  if (taking.some(({ activeRuns, slots }) => activeRuns < slots)) return null;
  const slots = taking.reduce((sum, machine) => sum + machine.slots, 0);
  const { before } = facts;
  const position =
    before === 0 ? "next in its queue" : `${counted(before, "run", "runs")} before it in its queue`;
  const used =
    slots === 1
      ? `the slot of ${namesOf(taking)} is in use`
      : `all ${String(slots)} slots of ${namesOf(taking)} are in use`;
  return `waits for a slot: ${used}; ${position}`;
}

/** Why the client of a machine cannot answer the prompts of the run; null where it can, or has none to answer. */
function clientProblem({ clientProblems }: MachineStatus, { run }: QueuedFacts): string | null {
  const { account, withoutClient } = run.placement;
  return withoutClient === true ? null : (clientProblems[account ?? ""] ?? null);
}

/** Those that may take it, wherever they are. */
function machinesFor(facts: QueuedFacts): readonly MachineStatus[] {
  const only = onlyMachine(facts);
  const { pool } = facts.run.placement;
  return facts.machines.filter(({ id, pools }) =>
    only === null ? pools.includes(pool) : id === only,
  );
}

function onlyMachine({ run, isTied }: QueuedFacts): MachineId | null {
  return run.placement.pinned ?? (isTied ? run.home : null);
}

function held(message: string, ways: readonly Remedy[] = []): Blocker {
  return { agent: null, message, remedies: ways };
}

const MAX_NAMES = 5;

function namesOf(machines: readonly MachineStatus[]): string {
  const names = machines.slice(0, MAX_NAMES).map(({ id }) => id);
  const more = machines.length - names.length;
  return names.join(", ") + (more === 0 ? "" : ` and ${String(more)} more`);
}
