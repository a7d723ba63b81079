import type { Artifacts } from "../engine/ports/artifacts.ts";
import { type Blocker, heldStatus, type LockHolder } from "../engine/ports/store.ts";
import { type RunHistory, readHistoryFile } from "../log/event-history.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { RunId, RunState, RunStatus } from "../machine/model/run-state.ts";
import { isLive } from "../machine/moves/stop.ts";
import { readJournal, replayJournal, validRecords } from "../machine/record/journal.ts";
import { DamagedStateError } from "../storage/errors.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { RunSource } from "../wire/run-source.ts";
import { loadNamed, type NamedRun, nameRun, type Wanted } from "../wire/stores.ts";
import { inspectErrors } from "./errors.ts";

/**
 * The status as users see it. `crashed`: no process drives it. `queued`: a worker will. `held`: the
 * holder is not visible from here. `stopping`: it is about to stop.
 */
export type ShownStatus = RunStatus | "crashed" | "held" | "queued" | "stopping";

/** A run and the source of its state. */
export interface LastKnown {
  readonly run: RunState;
  /** Set if the state file is damaged and the run was read from its journal. */
  readonly damage: DamagedStateError | null;
}

/** A run as all commands read it: its state, its lock, its queue and its event log. */
export interface RunView extends NamedRun, LastKnown {
  readonly status: ShownStatus;
  /** Null if no process holds the run. */
  readonly holder: LockHolder | null;
  readonly artifacts: Artifacts;
  /** Reasons to wait outside its state. Empty if it has stopped and is not queued. */
  readonly waitReasons: readonly Blocker[];
  /** Null if the event log is missing or unreadable. Read at the first access. */
  readonly history: RunHistory | null;
}

/**
 * Reads a run without locking it. Rejects with a RaymondError. After `store/damaged-state`, call
 * `inspectDamaged`.
 */
export async function readRun(wanted: Wanted, caller: Caller = thisProcess()): Promise<RunView> {
  const named = await nameRun(wanted, caller);
  return viewOf(named, { run: await loadNamed(named.store, named.id), damage: null });
}

/** The same, but reads the journal if the state file is damaged. */
export async function readLastKnown(wanted: Wanted, caller: Caller): Promise<RunView> {
  const named = await nameRun(wanted, caller);
  return viewOf(named, await lastKnown(named.store, named.id));
}

async function viewOf(named: NamedRun, first: LastKnown): Promise<RunView> {
  const { id, store } = named;
  const holder = await store.holder(id);
  // A run that ends is saved before its lock is released.
  const { run, damage } =
    holder === null && isLive(first.run) ? await lastKnown(store, id).catch(() => first) : first;
  const artifacts = await store.artifacts(id);
  const status = await statusIn(store, run, holder);
  const mayWait = isLive(run) || status === "queued";
  const waitReasons = mayWait ? await store.queue.waitReasons(id) : [];
  let history: RunHistory | null | undefined;
  return {
    ...named,
    ...{ run, damage, status, holder, artifacts, waitReasons },
    get history() {
      history = history === undefined ? readLog(artifacts.events) : history;
      return history;
    },
  };
}

/** Rejects as `load` does if the state file and the journal are unreadable. */
export async function lastKnown(store: RunSource, id: RunId): Promise<LastKnown> {
  try {
    return { run: await loadNamed(store, id), damage: null };
  } catch (error) {
    if (!(error instanceof DamagedStateError)) throw error;
    const run = lastIn(await store.journalText(id), id);
    if (run === null) throw error;
    return { run, damage: error };
  }
}

/** A journal of another version can have any content. */
function lastIn(journal: string | null, id: RunId): RunState | null {
  try {
    const records = readJournal(journal ?? "");
    const folded = replayJournal(records, validRecords(records).at(-1)?.save ?? 0);
    return folded.ok && folded.run.id === id ? folded.run : null;
  } catch {
    return null;
  }
}

export async function statusIn(
  { queue }: Pick<RunSource, "queue">,
  run: RunState,
  holder: LockHolder | null,
): Promise<ShownStatus> {
  const mayBeQueued = holder === null && run.status !== "completed";
  return shownStatus(run, holder, mayBeQueued && (await queue.expected()).has(run.id));
}

/** `isExpected`: a worker is about to claim the run. */
export function shownStatus(
  run: RunState,
  holder: LockHolder | null,
  isExpected = false,
): ShownStatus {
  if (holder === null && isExpected) return "queued";
  if (!isLive(run)) return run.status;
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

/** Throws `run/unknown-agent` for an agent that the run never had. Reads the event log only for ended agents. */
export function requireAgent(run: RunState, agent: AgentId | undefined, events: string): void {
  const { agents, results, forkCounters } = run;
  const kept = [...agents.map(({ id }) => id), ...Object.keys(results)];
  const known = new Set([...kept, ...Object.keys(forkCounters)]);
  if (agent === undefined || known.has(agent)) return;
  const all = new Set([...known, ...(readLog(events)?.agents.keys() ?? [])]);
  if (!all.has(agent)) throw inspectErrors["run/unknown-agent"](run.id, agent, [...all]);
}
