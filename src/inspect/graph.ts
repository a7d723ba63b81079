import { appendFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { printDot } from "../analysis/graph/dot.ts";
import type { Graph, RunTrace, Visited } from "../analysis/graph/graph.ts";
import { graphOf } from "../analysis/graph/graph-of.ts";
import { boxesOf } from "../analysis/graph/layout.ts";
import { printMermaid } from "../analysis/graph/mermaid.ts";
import { overlayRun } from "../analysis/graph/overlay-run.ts";
import { printSvg } from "../analysis/graph/svg.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import type { Outline } from "../language/outline/outline.ts";
import { stemOf } from "../language/workflow/files/state-name.ts";
import { readTraversal, type Traversal } from "../log/traversal.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { NO_TOTALS, type Totals, totalCost } from "../machine/model/totals.ts";
import { orDiskError } from "../storage/errors.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { wireErrors } from "../wire/errors.ts";
import type { Place } from "../wire/stores.ts";
import { isFolder, systemPlatform } from "../wire/system/system.ts";
import { scopeIn, withLocalWorkflow } from "../wire/workflow.ts";
import { inspectErrors } from "./errors.ts";
import { outline, readOutline } from "./outline.ts";
import { type RunView, readRun } from "./run-view.ts";

export const GRAPH_FORMATS = ["mermaid", "dot", "svg", "json"] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

export interface GraphOptions extends Place {
  readonly workflow?: string | undefined;
  readonly run?: string | undefined;
}

export interface TitledGraph {
  readonly title: string;
  readonly graph: Graph;
}

/**
 * The graph of a workflow (default: the current folder), or of a run. Rejects with a RaymondError if
 * there is no such workflow or run.
 */
export async function graph(
  { workflow, run, ...place }: GraphOptions,
  caller: Caller = thisProcess(),
): Promise<TitledGraph> {
  if (run !== undefined) {
    return graphOfView(await readRun({ run, ...place }, caller), workflow, caller);
  }
  const named = workflow ?? ".";
  const title = titleOf(path.resolve(caller.cwd, named));
  return { title, graph: graphOf(await outline(named, caller)) };
}

/** The path of a run on its own workflow, or on `workflow`. */
export async function graphOfView(
  { run, store, artifacts }: RunView,
  workflow: string | undefined,
  caller: Caller,
): Promise<TitledGraph> {
  const drawn =
    workflow === undefined
      ? await outlineOf(await withLocalWorkflow(run, store))
      : await outline(workflow, caller);
  const log = await readTextFile(artifacts.events, LIMITS.log).catch(() => "");
  return graphOfRun(run, readTraversal(log), drawn);
}

export async function graphOfRun(
  run: RunState,
  { trips, visits }: Traversal,
  drawn?: Outline,
): Promise<TitledGraph> {
  const states = statesOf(run, visits);
  const graph = graphOf(drawn ?? (await outlineOf(run)), states.keys());
  return {
    title: `${titleOf(run.workflow.path)}, ${run.id}`,
    graph: overlayRun(graph, { states, trips }),
  };
}

export async function printGraph(of: TitledGraph, format: GraphFormat): Promise<string> {
  switch (format) {
    case "mermaid":
      return printMermaid(of.graph);
    case "dot":
      return printDot(of.graph);
    case "json":
      return `${JSON.stringify({ title: of.title, ...of.graph }, null, 2)}\n`;
    case "svg": {
      const { nodes, edges } = of.graph;
      if (nodes.length + edges.length > MOST_DRAWN) {
        throw inspectErrors["workflow/graph-too-large"](nodes.length, edges.length);
      }
      const boxes = boxesOf(of.graph);
      const { layOut } = await import("./layout.ts");
      return printSvg(of.graph, boxes, await layOut(boxes), of.title);
    }
  }
}

/** Layout of a larger graph is slow, and the picture unreadable. */
const MOST_DRAWN = 600;

function titleOf(workflow: string): string {
  return stemOf(path.basename(workflow));
}

/** The workflow of the run, which can be a copy. */
function outlineOf({ id, workflow, scopeDir }: RunState) {
  if (!isFolder(scopeDir)) throw wireErrors["run/scope-gone"](id, scopeDir);
  const source = { ...scopeIn(workflow.kind, scopeDir), workflow: workflow.path };
  return readOutline(source, systemPlatform(), workflow.entry);
}

/**
 * The activity of a run by state. The counters of the state file serve `max_visits`: a rerun
 * inherits those of its origin, and a resume may reset one. So they are used only if the event log
 * has no count.
 */
function statesOf(run: RunState, logged: Traversal["visits"]): RunTrace["states"] {
  const counters = run.origin === null && logged.size === 0 ? run.visits : {};
  const names = new Set([
    ...Object.keys(counters),
    ...logged.keys(),
    ...Object.keys(run.sums.states),
  ]);
  return new Map(
    [...names].map((name) => {
      const of = run.sums.states[name] ?? NO_TOTALS;
      const visits = logged.get(name) ?? counters[name] ?? of.attempts;
      return [name, visitedOf(visits, of)] as const;
    }),
  );
}

function visitedOf(visits: number, of: Totals): Visited {
  const durationMs = of.attempts === 0 ? null : of.durationMs;
  return { visits, durationMs, costMicroUsd: totalCost(of) };
}

/**
 * Writes or appends a text to a file that the user has named. A new file is readable for its owner
 * only. Returns the path.
 */
export async function writePage(
  text: string,
  named: string,
  { cwd }: Pick<Caller, "cwd">,
  how: "replace" | "append" = "replace",
): Promise<string> {
  const file = path.resolve(cwd, named);
  const write = how === "append" ? appendFile : writeFile;
  if (!isFolder(path.dirname(file))) throw inspectErrors["cli/no-folder"](path.dirname(file));
  await orDiskError("write", file, () => write(file, text, { mode: 0o600 }));
  return file;
}
