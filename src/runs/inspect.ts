import type { AgentId, SessionId } from "../core/machine/agent.ts";
import { sessionsOf } from "../core/machine/baselines.ts";
import type { Context } from "../core/machine/context-size.ts";
import type { RunId, RunState, RunStatus } from "../core/machine/run-state.ts";
import { isLive } from "../core/machine/stop.ts";
import type { Sums } from "../core/machine/sums.ts";
import { type RunHistory, readHistoryFile } from "../observers/event-history.ts";
import type { Answers } from "../ports/answers.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import { type HeldUp, heldStatus, type LockHolder, type Store } from "../ports/store.ts";
import { UnknownRunError } from "../stores/errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { answersOf } from "./wire/answers.ts";
import { nameRun, type Wanted } from "./wire/stores.ts";

/**
 * How a run stands as people see it: `crashed` where nobody goes on with it, `queued` where a worker of the fleet is to, `held` where it cannot be
 * seen from here whether somebody does, `stopping` where it ends.
 */
export type ShownStatus = RunStatus | "crashed" | "held" | "queued" | "stopping";

/** What is known of a run, from its state file, its lock and its event log. */
export interface Inspection {
  readonly id: RunId;
  readonly run: RunState;
  readonly status: ShownStatus;
  /** Who holds the run; null when nobody does. */
  readonly holder: LockHolder | null;
  /** Null where the event log is missing or cannot be read: it is evidence, no state, and less is told then. */
  readonly history: RunHistory | null;
  readonly artifacts: Artifacts;
  /** What persons have answered. */
  readonly answers: Pick<Answers, "find">;
  /** What keeps it that its state does not tell of; nothing where it is no run of a fleet. */
  readonly heldUp?: readonly HeldUp[] | undefined;
  /** How the user calls raymond for this run. */
  readonly program: string;
}

/**
 * Looks at a run, and neither locks nor writes. Rejects with a RaymondError: one with the code
 * `store/damaged-state` leaves `inspectDamaged`.
 */
export async function inspect(wanted: Wanted, caller: Caller = thisProcess()): Promise<Inspection> {
  const { id, store, program } = await nameRun(wanted, caller);
  const run = await store.load(id);
  if (run === undefined) throw new UnknownRunError(wanted.run);
  const holder = await store.holder(id);
  const artifacts = await store.artifacts(id);
  const answers = await answersOf(id, store, caller);
  const status = await statusIn(store, run, holder);
  const heldUp = isLive(run) || status === "queued" ? await store.remote?.heldUp(id) : [];
  let history: RunHistory | null | undefined;
  return {
    ...{ id, run, status, holder, artifacts, answers, heldUp, program },
    // Read when it is asked for: a log is as long as its run, and not everybody needs it.
    get history() {
      history = history === undefined ? readLog(artifacts.events) : history;
      return history;
    },
  };
}

/** The same where a worker may be about to take it. */
export async function statusIn(
  { remote }: Pick<Store, "remote">,
  run: RunState,
  holder: LockHolder | null,
): Promise<ShownStatus> {
  const status = shownStatus(run, holder);
  if (holder !== null || status === "completed" || remote === undefined) return status;
  return shownStatus(run, holder, (await remote.expected()).has(run.id));
}

/** A run that says running while nobody runs it has crashed; `isExpected`: but a worker of its fleet is to take it. */
export function shownStatus(
  run: RunState,
  holder: LockHolder | null,
  isExpected = false,
): ShownStatus {
  if (holder === null && isExpected) return "queued";
  const live = run.status === "running" || run.status === "waiting";
  if (!live) return run.status;
  const status = heldStatus(run.status, holder);
  return status === run.status && run.stopReason !== null ? "stopping" : status;
}

/** What an event log tells; null where it cannot be read. */
export function readLog(file: string): RunHistory | null {
  try {
    return readHistoryFile(file);
  } catch {
    return null;
  }
}

/** What each agent has used: the state file tells of the living ones, and of one that was always alone; the event log of those that have ended. */
export function sumsByAgent(
  inspection: Pick<Inspection, "run" | "history">,
): Readonly<Record<AgentId, Sums>> {
  const { agents, forkCounters, totals } = inspection.run;
  const alone = !("main" in forkCounters) && agents.every(({ id }) => id === "main");
  if (alone && totals.attempts > 0) return { main: totals };
  const living = agents.filter(({ sums }) => sums.attempts > 0);
  const own = living.map(({ id, sums }) => [id, sums] as const);
  return { ...Object.fromEntries(inspection.history?.sums ?? []), ...Object.fromEntries(own) };
}

/** How full a conversation is, and whose it is. */
export interface HeldContext {
  readonly agent: AgentId;
  readonly session: SessionId;
  readonly context: Context;
}

/** What is known of each conversation of a run, the fullest first: the state file tells of those that may go on, the event log of others. */
export function contextsOf({
  run,
  history,
}: Pick<Inspection, "run" | "history">): readonly HeldContext[] {
  const living = run.agents.flatMap((agent) =>
    sessionsOf(agent).map((session) => ({ agent: agent.id, session, context: null })),
  );
  const logged = [...(history?.conversations ?? [])].flatMap(([agent, held]) =>
    held.map(({ session, context }) => ({ agent, session, context })),
  );
  const found = new Map<SessionId, HeldContext>();
  for (const { agent, session, context: told } of [...logged, ...living]) {
    const context = run.contexts[session] ?? told;
    if (context !== null && !found.has(session)) found.set(session, { agent, session, context });
  }
  return [...found.values()].toSorted((a, b) => b.context.tokens - a.context.tokens);
}
