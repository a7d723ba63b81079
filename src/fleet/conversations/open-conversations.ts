import path from "node:path";
import { orphanWarnings } from "../../engine/orphan-warnings.ts";
import type { Event } from "../../machine/model/event.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { forgetAcceptedPrompts } from "../../machine/steps/recover.ts";
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

/** A run with its conversations on this machine. */
export interface WithConversations {
  readonly run: RunState;
  /** Also stores what is added to the conversations. */
  readonly store: RunSource;
  /** Events to report first. */
  readonly first: readonly Event[];
}

/**
 * Restores the conversations on which the state of a run is based. The caller has claimed the run, and makes
 * this machine its home only afterwards. `caller`: with the environment of the client.
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
  const moved = elsewhere ? forgetAcceptedPrompts(run) : run;
  const locate = locatorOf(run, caller);
  const epoch = store.epoch(run.id);
  if (sessions.kind === "home" || locate === null || epoch === null) {
    return { run: moved, store: { ...store, lostAdvice: ADVICE }, first };
  }
  const by = { ...(await openTranscripts(sessions, run.id, epoch, database)), locate };
  const aside = path.join(folder, "left-behind", run.id);
  const { transcripts: copies } = artifacts;
  const known = await restoreConversations({ run, elsewhere, copies, aside }, by);
  return { run: moved, store: storeWithTranscripts(store, known, by), first };
}

/** Clients that an earlier worker of this machine has left must not write into the restored files. */
async function endClients(
  { token }: RunState,
  groups: string,
  epoch: number | null,
  caller: Caller,
): Promise<readonly Event[]> {
  const { processes } = await caller.system();
  return orphanWarnings(await processes.orphans(groups, null, epoch).end(token));
}

const ADVICE = "Submit with --sessions pg to make conversations available on every machine.";
