import path from "node:path";
import { orphanWarnings } from "../../engine/orphan-warnings.ts";
import type { Event } from "../../machine/event.ts";
import { forgetAcceptedPrompts } from "../../machine/recover.ts";
import type { RunState } from "../../machine/run-state.ts";
import { locatorOf } from "../../wire/backends.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import type { PlacementRow } from "../store/rows/placed-runs.ts";
import {
  openTranscripts,
  restoreConversations,
  storeWithTranscripts,
} from "../worker/runs/portable-transcripts.ts";
import type { WorkerContext } from "../worker/worker-context.ts";

/** A run with its conversations on this machine, and the store that keeps what is added to them. */
export interface WithConversations {
  readonly run: RunState;
  readonly store: RunSource;
  /** To be told before all else. */
  readonly first: readonly Event[];
}

/**
 * Gives a run the conversations that its state builds on, before it goes on here, in the environment of
 * its client. The caller holds its lock, and records only then that the run is at home here.
 */
export async function openConversations(
  run: RunState,
  { home, placement: { sessions } }: Pick<PlacementRow, "home" | "placement">,
  { machine, database, store, folder }: WorkerContext,
  caller: Caller,
): Promise<WithConversations> {
  const elsewhere = home !== machine;
  const artifacts = await store.artifacts(run.id);
  const first =
    elsewhere && run.processes > 0
      ? await endClients(run, artifacts.groups, store.epoch(run.id), caller)
      : [];
  const taken = elsewhere ? forgetAcceptedPrompts(run) : run;
  const locate = locatorOf(run.backend, caller);
  const epoch = store.epoch(run.id);
  if (sessions.kind === "home" || locate === null || epoch === null) {
    return { run: taken, store: { ...store, lostAdvice: ADVICE }, first };
  }
  const by = { ...(await openTranscripts(sessions, run.id, epoch, database)), locate };
  const aside = path.join(folder, "left-behind", run.id);
  const { transcripts: copies } = artifacts;
  const known = await restoreConversations({ run, elsewhere, copies, aside }, by);
  return { run: taken, store: storeWithTranscripts(store, known, by), first };
}

/** One that outlived an earlier worker of this machine must not write into what is restored. */
async function endClients(
  { token }: RunState,
  groups: string,
  epoch: number | null,
  caller: Caller,
): Promise<readonly Event[]> {
  const { processes } = await caller.system();
  const { ended } = await processes.orphans(groups, null, epoch).end(token);
  return orphanWarnings(ended);
}

const ADVICE = "Submit with --sessions pg to make conversations available on every machine.";
