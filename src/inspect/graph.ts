import path from "node:path";
import { boxesOf } from "../analysis/graph/boxes.ts";
import { printDot } from "../analysis/graph/dot.ts";
import type { Graph, Visited } from "../analysis/graph/graph.ts";
import { graphOf } from "../analysis/graph/graph-of.ts";
import { printMermaid } from "../analysis/graph/mermaid.ts";
import { overlayRun } from "../analysis/graph/overlay-run.ts";
import type { RunTrace } from "../analysis/graph/run-trace.ts";
import { printSvg } from "../analysis/graph/svg.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import type { Outline } from "../language/outline/outline.ts";
import { stemOf } from "../language/workflow/files/state-name.ts";
import { readTraversal, type Traversal } from "../log/traversal.ts";
import type { RunState } from "../machine/run-state.ts";
import { NO_TOTALS, type Totals, totalCost } from "../machine/spend/totals.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { wireErrors } from "../wire/errors.ts";
import { withFilesHere } from "../wire/files-here.ts";
import type { Place } from "../wire/stores.ts";
import { isFolder, systemPlatform } from "../wire/system/system.ts";
import { scopeIn } from "../wire/workflow.ts";
import { inspectErrors } from "./errors.ts";
import { inspect } from "./inspect.ts";
import { outline, readOutline } from "./outline.ts";

/** What a picture can be printed as. */
export const GRAPH_FORMATS = ["mermaid", "dot", "svg", "json"] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** What is to be drawn: a workflow, a run, or a run on the workflow as it is now. */
export interface GraphOptions extends Place {
  readonly workflow?: string | undefined;
  /** A run that is laid over it, named as for `inspect`. */
  readonly run?: string | undefined;
}

/** A picture, and what it shows. */
export interface TitledGraph {
  readonly title: string;
  readonly graph: Graph;
}

/** A workflow as a picture shows it; that of the current folder, where neither one nor a run is named. Rejects with a RaymondError. */
export async function graph(
  { workflow, run, ...place }: GraphOptions,
  caller: Caller = thisProcess(),
): Promise<TitledGraph> {
  if (run === undefined) {
    const named = workflow ?? ".";
    const title = titleOf(path.resolve(caller.cwd, named));
    return { title, graph: graphOf(await outline(named, caller)) };
  }
  const { run: shown, artifacts } = await inspect({ run, ...place }, caller);
  const drawn =
    workflow === undefined
      ? await outlineOf(await withFilesHere(shown, caller))
      : await outline(workflow, caller);
  const log = await readTextFile(artifacts.events, LIMITS.log).catch(() => "");
  return graphOfRun(shown, readTraversal(log), drawn);
}

/** A run as a picture shows it: its ways, laid over its workflow, or over this one. Rejects with a RaymondError. */
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

/** A picture as text. */
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

/** The workflow as the run has it, which may be a copy. */
function outlineOf({ id, workflow, scopeDir }: RunState) {
  if (!isFolder(scopeDir)) throw wireErrors["run/scope-gone"](id, scopeDir);
  const source = { ...scopeIn(workflow.kind, scopeDir), workflow: workflow.path };
  return readOutline(source, systemPlatform(), workflow.entry);
}

/**
 * What this run did in each state. The counters of the state file serve `max_visits`: a rerun inherits those of
 * its origin, and a resume may reset one. So they are used only where the event log has no count.
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
