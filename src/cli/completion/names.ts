import { readdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { list } from "../../inspect/list.ts";
import { readRun } from "../../inspect/run-view.ts";
import { onUserError } from "../../language/basics/errors.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { extensionOf, stemOf } from "../../language/workflow/files/state-name.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import { findSource } from "../../wire/workflow.ts";
import { inFleet, type WhichRuns } from "../commands/fleet/in-fleet.ts";

/** A word that can be typed, and its description. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

const MOST = 200;

/** Folders, and files that can be run, in the folder of a partial path. */
export async function workflowsAt(partial: string, { cwd }: Caller): Promise<readonly Candidate[]> {
  const typed = partial.slice(0, partial.lastIndexOf("/") + 1);
  const entries = await readdir(path.resolve(cwd, typed || "."), { withFileTypes: true }).catch(
    () => [],
  );
  const hidden = partial.slice(typed.length).startsWith(".");
  return entries
    .filter(({ name }) => hidden || !name.startsWith("."))
    .flatMap((entry) => {
      const value = `${typed}${entry.name}`;
      if (!entry.isFile()) return [{ value: `${value}/`, about: "folder" }];
      if (/\.(?:test|sim)\.yaml$/.test(value)) return [];
      if (/\.(?:zip|ya?ml)$/.test(value)) return [{ value, about: "workflow" }];
      return extensionOf(value) === null ? [] : [{ value, about: stateKind(value) }];
    })
    .slice(0, MOST);
}

/** The runs of this project, the latest first. */
export async function runsHere(which: WhichRuns, caller: Caller): Promise<readonly Candidate[]> {
  const { stateDir } = which;
  const found = await orNothing(() => inFleet(which, caller, (of) => list({ stateDir }, of)), null);
  const known = (found?.runs ?? [])
    .slice(0, MOST)
    .map(({ id, status }) => ({ value: id, about: status }));
  return known.length === 0 ? [] : [{ value: "latest", about: "the last one" }, ...known];
}

/** The states of a workflow, as transitions name them. */
export async function statesOf(workflow: string, caller: Caller): Promise<readonly Candidate[]> {
  const names = await orNothing(async () => (await findSource(workflow, caller)).found.names, []);
  const stems = new Map(names.map((name) => [stemOf(name), stateKind(name)] as const));
  return [...stems].map(([value, about]) => ({ value, about }));
}

export async function statesEntered(
  run: string,
  which: WhichRuns,
  caller: Caller,
): Promise<readonly Candidate[]> {
  const found = await findRun(run, which, caller);
  return Object.entries(found?.visits ?? {}).map(([state, count]) => ({
    value: stemOf(state),
    about: `entered ${String(count)}×`,
  }));
}

/** The living agents of a run. */
export async function agentsOf(
  run: string,
  which: WhichRuns,
  caller: Caller,
): Promise<readonly Candidate[]> {
  const agents = (await findRun(run, which, caller))?.agents ?? [];
  return agents.map(({ id, state }) => ({ value: id, about: state })).slice(0, MOST);
}

function findRun(run: string, which: WhichRuns, caller: Caller): Promise<RunState | null> {
  const wanted = { run, stateDir: which.stateDir };
  return orNothing(
    () => inFleet(which, caller, async (of) => (await readRun(wanted, of)).run),
    null,
  );
}

/**
 * Completion prints no errors: `nothing` if `read` throws a RaymondError, or takes longer than a user would wait, for
 * example for a database.
 */
export async function orNothing<Value>(read: () => Promise<Value>, nothing: Value): Promise<Value> {
  const over = new AbortController();
  const late = delay(PATIENCE_MS, nothing, { signal: over.signal }).catch(() => nothing);
  return Promise.race([read(), late])
    .catch(onUserError(() => nothing))
    .finally(() => {
      over.abort();
    });
}

const PATIENCE_MS = 1_500;
