import type { Answers } from "../engine/ports/answers.ts";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import { type Blocker, heldStatus, type LockHolder } from "../engine/ports/store.ts";
import { type RunHistory, readHistoryFile } from "../log/event-history.ts";
import type { AgentId, SessionId } from "../machine/agent.ts";
import type { RunId, RunState, RunStatus } from "../machine/run-state.ts";
import { sessionsOf } from "../machine/spend/baselines.ts";
import type { Context } from "../machine/spend/spend.ts";
import type { Totals } from "../machine/spend/totals.ts";
import { isLive } from "../machine/stop.ts";
import { storageErrors } from "../storage/errors.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { RunSource } from "../wire/run-source.ts";
import { nameRun, type Wanted } from "../wire/stores.ts";
import { inspectErrors } from "./errors.ts";

/**
 * The status as users see it. `crashed`: no process drives it. `queued`: a worker will. `held`: the
 * holder is not visible from here. `stopping`: it is about to stop.
 */
export type ShownStatus = RunStatus | "crashed" | "held" | "queued" | "stopping";

/** What is known of a run, from its state file, its lock and its event log. */
export interface Inspection {
  readonly id: RunId;
  readonly run: RunState;
  readonly status: ShownStatus;
  /** The process that holds the run; null if none does. */
  readonly holder: LockHolder | null;
  /** Null if the event log is missing or unreadable: readers then show less. */
  readonly history: RunHistory | null;
  readonly artifacts: Artifacts;
  /** What persons have answered. */
  readonly answers: Pick<Answers, "find">;
  /** Reasons to wait outside its state; undefined for runs of a state folder. */
  readonly waitReasons?: readonly Blocker[] | undefined;
  /** How the user calls raymond for this run. */
  readonly program: string;
}

/**
 * Reads a run without locking it. Rejects with a RaymondError. After `store/damaged-state`, call
 * `inspectDamaged`.
 */
export async function inspect(wanted: Wanted, caller: Caller = thisProcess()): Promise<Inspection> {
  const { id, store, program } = await nameRun(wanted, caller);
  const run = await store.load(id);
  if (run === undefined) throw storageErrors["store/unknown-run"](wanted.run);
  const holder = await store.holder(id);
  const artifacts = await store.artifacts(id);
  const answers = await store.answers(id);
  const status = await statusIn(store, run, holder);
  const heldUp = isLive(run) || status === "queued" ? await store.queue.waitReasons(id) : [];
  let history: RunHistory | null | undefined;
  return {
    ...{ id, run, status, holder, artifacts, answers, waitReasons: heldUp, program },
    // Read when it is asked for: a log is as long as its run, and not everybody needs it.
    get history() {
      history = history === undefined ? readLog(artifacts.events) : history;
      return history;
    },
  };
}

/** The same where a worker may be about to take it. */
export async function statusIn(
  { queue }: Pick<RunSource, "queue">,
  run: RunState,
  holder: LockHolder | null,
): Promise<ShownStatus> {
  const status = shownStatus(run, holder);
  if (holder !== null || status === "completed") return status;
  return shownStatus(run, holder, (await queue.expected()).has(run.id));
}

/** The status, for a run that no worker is about to claim unless `isExpected`. */
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

/** Null if it cannot be read. */
export function readLog(file: string): RunHistory | null {
  try {
    return readHistoryFile(file);
  } catch {
    return null;
  }
}

/**
 * Totals of each agent. The state file has those of living agents, and of a single agent; the event
 * log those of ended agents.
 */
export function sumsByAgent(
  inspection: Pick<Inspection, "run" | "history">,
): Readonly<Record<AgentId, Totals>> {
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

/**
 * The context of each conversation, largest first. The state file has those of living agents; the
 * event log all others.
 */
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
  for (const { agent, session, context: known } of [...logged, ...living]) {
    const context = run.contexts[session] ?? known;
    if (context !== null && !found.has(session)) found.set(session, { agent, session, context });
  }
  return [...found.values()].toSorted((a, b) => b.context.tokens - a.context.tokens);
}

/** Throws `run/unknown-agent` for an agent that the run never had. Reads the event log only for ended agents. */
export function requireAgent(run: RunState, agent: AgentId | undefined, events: string): void {
  const { agents, results, forkCounters } = run;
  const kept = [...agents.map(({ id }) => id), ...Object.keys(results)];
  const known = new Set([...kept, ...Object.keys(forkCounters)]);
  if (agent === undefined || known.has(agent)) return;
  const logged = readLog(events)?.agents.keys() ?? [];
  const all = new Set([...known, ...logged]);
  if (!all.has(agent)) throw inspectErrors["run/unknown-agent"](run.id, agent, [...all]);
}
