import { readFile } from "node:fs/promises";
import path from "node:path";
import { boxesOf } from "../core/graph/boxes.ts";
import { printDot } from "../core/graph/dot.ts";
import type { Graph, Visited } from "../core/graph/graph.ts";
import { graphOf } from "../core/graph/graph-of.ts";
import { layOver, type Travelled } from "../core/graph/lay-over.ts";
import { printMermaid } from "../core/graph/mermaid.ts";
import { printSvg } from "../core/graph/svg.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { NO_SUMS, paid } from "../core/machine/sums.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { stemOf } from "../core/workflow/state-name.ts";
import { tripsIn } from "../observers/travelled.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { ScopeGoneError } from "./errors.ts";
import { GraphTooLargeError } from "./graph-errors.ts";
import { type Inspection, inspect } from "./inspect.ts";
import { outline, readOutline } from "./outline.ts";
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
  const inspection = await inspect({ run, ...place }, caller);
  const shown = workflow === undefined ? outlineOf(inspection.run) : outline(workflow, caller);
  return {
    title: `${titleOf(inspection.run.workflow.path)}, ${inspection.id}`,
    graph: layOver(graphOf(await shown), await travelled(inspection)),
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

async function travelled({ run, artifacts }: Inspection): Promise<Travelled> {
  const log = await readFile(artifacts.events, "utf8").catch(() => "");
  const names = new Set([...Object.keys(run.visits), ...Object.keys(run.sums.states)]);
  const states = [...names].map((name) => [name, visitedOf(name, run)] as const);
  return { states: new Map(states), trips: tripsIn(log) };
}

/** A gate is run, and never entered. */
function visitedOf(name: StateName, { visits, sums }: RunState): Visited {
  const of = sums.states[name] ?? NO_SUMS;
  return {
    visits: visits[name] ?? of.attempts,
    durationMs: of.durationMs,
    costMicroUsd: paid(of),
  };
}
