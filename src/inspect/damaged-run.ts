import { existsSync } from "node:fs";
import path from "node:path";
import type { RunHistory } from "../log/event-history.ts";
import type { RunId } from "../machine/model/run-state.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { nameRun, type Wanted } from "../wire/stores.ts";
import { isFolder } from "../wire/system/system.ts";
import { readLog } from "./run-view.ts";

/** A run whose state file is damaged, from its event log (docs/durability.md). */
export interface DamagedRun {
  readonly id: RunId;
  readonly log: string;
  readonly history: RunHistory;
  /** The copies of its conversations; null without any. */
  readonly transcripts: string | null;
  /** The last state of main, as a path to start a new run at; null if unknown or impossible. */
  readonly again: string | null;
  readonly program: string;
}

/** Null without a readable event log. */
export async function inspectDamaged(
  wanted: Wanted,
  caller: Caller = thisProcess(),
): Promise<DamagedRun | null> {
  const { id, store, program } = await nameRun(wanted, caller);
  const { events: log, transcripts } = await store.artifacts(id);
  const history = readLog(log);
  if (history === null) return null;
  return {
    ...{ id, log, history, program, again: stateAgain(history) },
    transcripts: existsSync(transcripts) ? transcripts : null,
  };
}

function stateAgain({ workflow, agents }: RunHistory): string | null {
  const main = agents.get("main");
  if (workflow === null || main === undefined || main.ended) return null;
  // A run cannot start in the middle of a called workflow.
  if (main.state.includes("/")) return null;
  if (path.extname(workflow).toLowerCase() === ".zip") return null;
  return path.join(isFolder(workflow) ? workflow : path.dirname(workflow), main.state);
}
