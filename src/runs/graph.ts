import path from "node:path";
import { boxesOf } from "../core/graph/boxes.ts";
import { printDot } from "../core/graph/dot.ts";
import type { Graph, Visited } from "../core/graph/graph.ts";
import { graphOf } from "../core/graph/graph-of.ts";
import { layOver } from "../core/graph/lay-over.ts";
import { printMermaid } from "../core/graph/mermaid.ts";
import { printSvg } from "../core/graph/svg.ts";
import type { Travelled } from "../core/graph/travelled.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { NO_SUMS, paid, type Sums } from "../core/machine/sums.ts";
import type { Outline } from "../core/outline/outline.ts";
import { stemOf } from "../core/workflow/state-name.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { type Travels, travelsIn } from "../observers/travelled.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { ScopeGoneError } from "./errors.ts";
import { GraphTooLargeError } from "./graph-errors.ts";
import { inspect } from "./inspect.ts";
import { outline, readOutline } from "./outline.ts";
import { withFilesHere } from "./wire/files-here.ts";
import type { Place } from "./wire/stores.ts";
import { isFolder, systemPlatform } from "./wire/system.ts";
import { scopeIn } from "./wire/workflow.ts";

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
  return graphOfRun(shown, travelsIn(log), drawn);
}

/** A run as a picture shows it: its ways, laid over its workflow, or over this one. Rejects with a RaymondError. */
export async function graphOfRun(
  run: RunState,
  { trips, visits }: Travels,
  drawn?: Outline,
): Promise<TitledGraph> {
  const states = statesOf(run, visits);
  const graph = graphOf(drawn ?? (await outlineOf(run)), states.keys());
  return {
    title: `${titleOf(run.workflow.path)}, ${run.id}`,
    graph: layOver(graph, { states, trips }),
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
        throw new GraphTooLargeError(nodes.length, edges.length);
      }
      const boxes = boxesOf(of.graph);
      const { layOut } = await import("./wire/layout.ts");
      return printSvg(of.graph, boxes, await layOut(boxes), of.title);
    }
  }
}

/** Beyond it finding the places takes long, and nobody finds anything in the picture. */
const MOST_DRAWN = 600;

function titleOf(workflow: string): string {
  return stemOf(path.basename(workflow));
}

/** The workflow as the run has it, which may be a copy. */
function outlineOf({ id, workflow, scopeDir }: RunState) {
  if (!isFolder(scopeDir)) throw new ScopeGoneError(id, scopeDir);
  const source = { ...scopeIn(workflow.kind, scopeDir), workflow: workflow.path };
  return readOutline(source, systemPlatform(), workflow.entry);
}

/**
 * What this run did in each state. The counters of the state file serve `max_visits`: a rerun inherits those of
 * its origin, and a resume may reset one. So they are used only where the event log has no count.
 */
function statesOf(run: RunState, logged: Travels["visits"]): Travelled["states"] {
  const counters = run.origin === null && logged.size === 0 ? run.visits : {};
  const names = new Set([
    ...Object.keys(counters),
    ...logged.keys(),
    ...Object.keys(run.sums.states),
  ]);
  return new Map(
    [...names].map((name) => {
      const of = run.sums.states[name] ?? NO_SUMS;
      const visits = logged.get(name) ?? counters[name] ?? of.attempts;
      return [name, visitedOf(visits, of)] as const;
    }),
  );
}

function visitedOf(visits: number, of: Sums): Visited {
  const durationMs = of.attempts === 0 ? null : of.durationMs;
  return { visits, durationMs, costMicroUsd: paid(of) };
}
