import { counted } from "../../core/counted.ts";
import { formatDuration } from "../../core/duration.ts";
import { printRate } from "../../core/rate.ts";
import { USUAL_POOL } from "../../core/usual-pool.ts";
import type { HeldUp, WayOn } from "../../ports/store.ts";
import type { SeenAccount } from "./accounts.ts";
import type { SeenMachine } from "./machines.ts";
import { judgePlace, type MachineId, type PlacedRun } from "./placement.ts";

/** What tells why nobody goes on with a run that somebody is to go on with. */
export interface QueuedFacts {
  readonly run: PlacedRun;
  /** Its files are at its home, and nowhere else. */
  readonly isTied: boolean;
  /** When it is to begin, epoch ms, where that is still to come. */
  readonly beginsAt: number | null;
  /** It has begun before: the rate of its account asks nothing of it. */
  readonly hasBegun: boolean;
  /** All that there are. */
  readonly machines: readonly SeenMachine[];
  /** Who pays for it, with what that does now; null where it has none. */
  readonly account: SeenAccount | null;
  /** Runs that came into its queue before it and wait there. */
  readonly before: number;
}

/**
 * Why a run of the fleet is queued: nothing where a worker is about to take it. What `submit`, `status`, `why`,
 * `show` and the dashboard say of it is this. Pure.
 */
export function whyQueued(facts: QueuedFacts): readonly HeldUp[] {
  const { run, beginsAt, account } = facts;
  if (beginsAt !== null) {
    return [
      held(`begins at ${new Date(beginsAt).toISOString()}`, [
        { about: "begin it now", command: `wake ${run.id}` },
        { about: "cancel it", command: `stop ${run.id}` },
      ]),
    ];
  }
  const nobody = whoIsMissing(facts);
  if (nobody !== null) return [nobody];
  const limit = account === null ? null : limitWords(account, facts);
  if (limit !== null) {
    const raise = { about: "see what the account may do", command: `limits` };
    return [held(limit, [raise])];
  }
  const slots = slotWords(facts);
  return slots === null ? [] : [held(slots)];
}

/** Of the machines that may take it none does. */
function whoIsMissing(facts: QueuedFacts): HeldUp | null {
  const { run, machines, isTied } = facts;
  const { pool, account } = run.placement;
  const only = onlyMachine(facts);
  const may = machinesFor(facts);
  const having = may.filter(({ accounts }) => account === null || accounts.includes(account));
  const living = having.filter(({ lives }) => lives);
  const [drained] = living;
  const taking = living.filter(({ draining }) => !draining);
  if (taking.some((machine) => clientProblem(machine, facts) === null)) {
    return isTied || only !== null ? null : goneHome(facts);
  }
  const [unhealthy] = taking;
  if (unhealthy !== undefined) {
    const problem = clientProblem(unhealthy, facts) ?? "";
    const more = taking.length === 1 ? "" : `; the same holds for ${namesOf(taking.slice(1))}`;
    return held(`waits for a working client on the machine ${unhealthy.id}${more}. ${problem}`, [
      { about: "see the clients of all machines", command: "machines" },
    ]);
  }
  if (only !== null) {
    const machine = machines.find(({ id }) => id === only);
    if (machine?.lives !== true) return goneMachine(only, machine ?? null, facts);
  }
  if (drained !== undefined) {
    const names = living.map(({ id, inHand }) => (inHand > 0 ? `${id} (draining)` : id));
    return held(`waits: all machines that may run it are drained: ${names.join(", ")}`, [
      { about: "return one to service", command: `drain ${drained.id} --end` },
    ]);
  }
  if (account !== null) {
    const who = having.length === 0 ? "no machine has it" : `gone: ${namesOf(having)}`;
    return held(`waits for a worker with the account ${account} (${who})`);
  }
  const who = may.length === 0 ? "none has been seen yet" : `gone: ${namesOf(may)}`;
  const flag = pool === USUAL_POOL ? "" : ` --pool ${pool}`;
  return held(`waits for a worker of the pool ${pool} (${who})`, [
    { about: "start one, on a machine of that pool", command: `worker${flag}` },
  ]);
}

/** Its machine is not there, and it waits for that one alone. */
function goneMachine(
  id: MachineId,
  machine: SeenMachine | null,
  { run, isTied }: QueuedFacts,
): HeldUp {
  const since = machine?.silentMs == null ? "" : ` for ${formatDuration(machine.silentMs)}`;
  if (isTied && id === run.home) {
    const behind = run.snapshot?.behind ?? null;
    const why = behind === null ? "" : `, and could not be pushed: ${behind}`;
    return held(`waits for its home ${id}: its files are there${why}`);
  }
  return held(`waits for the machine ${id}, which is gone${since}`, [
    { about: "let another go on with it", command: `move ${run.id} --to MACHINE` },
  ]);
}

/** A home that comes back in time goes first. */
function goneHome({ run, machines }: QueuedFacts): HeldUp | null {
  const home = machines.find(({ id }) => id === run.home);
  if (home === undefined || home.silentMs === null) return null;
  const verdict = judgePlace(run, { lives: home.lives, silentMs: home.silentMs });
  if (verdict.kind !== "wait") return null;
  const gone = `is gone for ${formatDuration(home.silentMs)}`;
  return held(
    `waits for its home ${home.id}, which ${gone}; another machine takes it in ${formatDuration(verdict.ms)}`,
    [{ about: "let another go on with it now", command: `move ${run.id} --to MACHINE` }],
  );
}

/** What keeps a run of the account from beginning; null where it may begin. */
function limitWords(account: SeenAccount, { hasBegun }: QueuedFacts): string | null {
  const { name, runs, begun, limits } = account;
  const may = `waits until the account ${name} may have one more run`;
  if (limits.runs !== null && runs >= limits.runs) {
    return `${may} (${String(runs)} of ${String(limits.runs)} go on)`;
  }
  if (hasBegun || limits.rate === null || begun < limits.rate.runs) return null;
  return `${may} (${String(begun)} of ${printRate(limits.rate)} have begun)`;
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
  if (taking.some(({ inHand, slots }) => inHand < slots)) return null;
  const slots = taking.reduce((sum, machine) => sum + machine.slots, 0);
  const { before } = facts;
  const queue =
    before === 0
      ? "it is the next"
      : `${counted(before, "run waits", "runs wait")} in its queue before it`;
  const taken =
    slots === 1
      ? `the slot of ${namesOf(taking)} is taken`
      : `all ${String(slots)} slots of ${namesOf(taking)} are taken`;
  return `waits for a slot: ${taken}, and ${queue}`;
}

/** Why the client of a machine cannot answer the prompts of the run; null where it can, or has none to answer. */
function clientProblem({ clientProblems }: SeenMachine, { run }: QueuedFacts): string | null {
  const { account, withoutClient } = run.placement;
  return withoutClient === true ? null : (clientProblems[account ?? ""] ?? null);
}

/** Those that may take it, wherever they are. */
function machinesFor(facts: QueuedFacts): readonly SeenMachine[] {
  const only = onlyMachine(facts);
  const { pool } = facts.run.placement;
  return facts.machines.filter(({ id, pools }) =>
    only === null ? pools.includes(pool) : id === only,
  );
}

function onlyMachine({ run, isTied }: QueuedFacts): MachineId | null {
  return run.placement.pinned ?? (isTied ? run.home : null);
}

function held(message: string, ways: readonly WayOn[] = []): HeldUp {
  return { agent: null, message, ways };
}

/** So many are named. */
const MOST_NAMES = 5;

function namesOf(machines: readonly SeenMachine[]): string {
  const names = machines.slice(0, MOST_NAMES).map(({ id }) => id);
  const more = machines.length - names.length;
  return names.join(", ") + (more === 0 ? "" : ` and ${String(more)} more`);
}
