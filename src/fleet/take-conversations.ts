import path from "node:path";
import type { Event } from "../core/machine/event.ts";
import { leftBehind } from "../core/machine/left-behind.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { tellEnded } from "../engine/ended-leftovers.ts";
import type { Store } from "../ports/store.ts";
import type { Caller } from "../runs/caller.ts";
import { locatorOf } from "../runs/wire/backends.ts";
import type { PlacementRow } from "../stores/postgres/placed-runs.ts";
import type { Host } from "./host.ts";
import { openKeep, restoreConversations, travellingStore } from "./travelling.ts";

/** A run with its conversations on this machine, and the store that keeps what is added to them. */
export interface WithConversations {
  readonly run: RunState;
  readonly store: Store;
  /** To be told before all else. */
  readonly first: readonly Event[];
}

/**
 * Gives a run the conversations that its state builds on, before it goes on here, in the environment of
 * its client. The caller holds its lock, and records only then that the run is at home here.
 */
export async function takeConversations(
  run: RunState,
  { home, placement: { sessions } }: Pick<PlacementRow, "home" | "placement">,
  { machine, database, store, folder }: Host,
  caller: Caller,
): Promise<WithConversations> {
  const elsewhere = home !== machine;
  const artifacts = await store.artifacts(run.id);
  const first =
    elsewhere && run.processes > 0
      ? await endClients(run, artifacts.groups, store.epoch(run.id), caller)
      : [];
  const taken = elsewhere ? leftBehind(run) : run;
  const locate = locatorOf(run.backend, caller);
  const epoch = store.epoch(run.id);
  if (sessions.kind === "home" || locate === null || epoch === null) {
    return { run: taken, store: withAdvice(store), first };
  }
  const by = { ...(await openKeep(sessions, run.id, epoch, database)), locate };
  const aside = path.join(folder, "left-behind", run.id);
  const { transcripts: copies } = artifacts;
  const known = await restoreConversations({ run, elsewhere, copies, aside }, by);
  return { run: taken, store: travellingStore(store, known, by), first };
}

/** One that outlived an earlier worker of this machine must not write into what is restored. */
async function endClients(
  { token }: RunState,
  groups: string,
  epoch: number | null,
  caller: Caller,
): Promise<readonly Event[]> {
  const { processes } = await caller.system();
  const { ended } = await processes.leftovers(groups, null, epoch).end(token);
  return tellEnded(ended);
}

function withAdvice(store: Store): Store {
  const { remote } = store;
  if (remote === undefined) return store;
  return { ...store, remote: { ...remote, lostAdvice: ADVICE } };
}

const ADVICE = "A run that is submitted with --sessions pg takes its conversations along.";
