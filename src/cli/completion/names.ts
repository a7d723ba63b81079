import { readdir } from "node:fs/promises";
import path from "node:path";
import { templates } from "../../author/templates.ts";
import { list } from "../../inspect/list.ts";
import { readRun } from "../../inspect/run-view.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { extensionOf, stemOf } from "../../language/workflow/files/state-name.ts";
import type { Caller } from "../../wire/caller.ts";
import type { Place } from "../../wire/stores.ts";
import { findSource } from "../../wire/workflow.ts";
import { inFleet, type WhichRuns } from "../commands/fleet/in-fleet.ts";
import { orNothing } from "./or-nothing.ts";

/** Something that can be typed, and a few words on it. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** More are not chosen from, but typed. */
const MOST = 200;

/** Files that can be run, and folders, beside what is typed of a path. */
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

/** The runs of this project, the last one first. */
export async function runsHere(which: WhichRuns, caller: Caller): Promise<readonly Candidate[]> {
  const runs = await orNothing(() => lookAt(which, caller, list).then(({ runs }) => runs), []);
  const known = runs.slice(0, MOST).map(({ id, status }) => ({ value: id, about: status }));
  return known.length === 0 ? [] : [{ value: "latest", about: "the last one" }, ...known];
}

/** The states of a workflow, as transitions call them. */
export async function statesOf(workflow: string, caller: Caller): Promise<readonly Candidate[]> {
  const names = await orNothing(async () => (await findSource(workflow, caller)).found.names, []);
  const stems = new Map(names.map((name) => [stemOf(name), stateKind(name)] as const));
  return [...stems].map(([value, about]) => ({ value, about }));
}

/** The states that a run has entered. */
export async function statesEntered(
  run: string,
  which: WhichRuns,
  caller: Caller,
): Promise<readonly Candidate[]> {
  const look = (place: Place, of: Caller) => readRun({ run, ...place }, of);
  const inspection = await orNothing(() => lookAt(which, caller, look), null);
  const visits = Object.entries(inspection?.run.visits ?? {});
  return visits.map(([state, count]) => ({
    value: stemOf(state),
    about: `entered ${String(count)}×`,
  }));
}

/** Looks at the runs that are meant by what is typed so far. */
function lookAt<Value>(
  which: WhichRuns,
  caller: Caller,
  look: (place: Place, caller: Caller) => Promise<Value>,
): Promise<Value> {
  const { stateDir } = which;
  return inFleet(which, caller, (of) => look({ stateDir }, of));
}

export function templatesHere(): readonly Candidate[] {
  return templates().map(({ name }) => ({ value: name, about: "template" }));
}
