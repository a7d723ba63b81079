import { formatDuration, parseDuration } from "../../language/basics/duration.ts";
import { formatUsd } from "../../language/basics/money.ts";
import type { OutlinedMove } from "../../language/outline/outline.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import type { StateName } from "../../language/protocol/transition.ts";

/** A workflow as a graph, without positions. */
export interface Graph {
  /** In the order in which a run reaches them; unreachable nodes are last. */
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

export interface Node {
  /** Unique. */
  readonly id: string;
  readonly kind: NodeKind;
  /** Of a state, its name without extension. */
  readonly label: string;
  /** Null if it is not a state. */
  readonly state: StateName | null;
  /** Model, effort and limits. */
  readonly notes: readonly string[];
  /** A run starts here. */
  readonly entry: boolean;
  /** It is the gate of a rule. */
  readonly gate: boolean;
  /** Whether a run can reach it, as far as the files show. */
  readonly reached: boolean;
  /** Why it cannot be entered, as a sentence; null if it can. */
  readonly problem: string | null;
  /** Totals of the shown run; null without a run or visits. */
  readonly visited: Visited | null;
}

/**
 * `question`: to a person. `end`: of an agent. `workflow`: another one, by its path. `missing`: a
 * named state that does not exist. `open`: a state that is known only at run time.
 */
export type NodeKind = "prompt" | "script" | "question" | "end" | "workflow" | "missing" | "open";

/** Totals of a run in a state. */
export interface Visited {
  readonly visits: number;
  /** Total time of ended attempts; null without any. */
  readonly durationMs: number | null;
  readonly costMicroUsd: number;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** The tags, keys or answers that lead there. */
  readonly labels: readonly string[];
  /** Part of it is only mentioned in the text of the state. */
  readonly mentioned: boolean;
  /** If it stands for many edges: their other sources. */
  readonly also: readonly string[];
  /** Moves of the shown run; null without a run. */
  readonly times: number | null;
}

/**
 * `way`: the agent continues there. `return`: the result of a `call` returns there. `fork`: a new
 * agent starts there. `join`: the agent waits for its workers. `collect`: the result of a worker.
 * `gate`: a script must pass first. `refused`: it failed. `diverted`: the next state after a failure
 * or timeout. `undeclared`: a move of the run that the files do not declare.
 */
export type EdgeKind =
  | "way"
  | "call"
  | "return"
  | "fork"
  | "join"
  | "collect"
  | "gate"
  | "refused"
  | "diverted"
  | "undeclared";

/** The visits and moves of a run. */
export interface RunTrace {
  readonly states: ReadonlyMap<StateName, Visited>;
  readonly trips: readonly TracedMove[];
}

/** A move and its number. `end`: an agent ended in `from`. `refused`: the gate `to` failed. */
export type TracedMove = { readonly from: StateName; readonly times: number } & (
  | { readonly kind: "moved" | "forked" | "refused"; readonly to: StateName }
  | { readonly kind: "end"; readonly worker: boolean }
);

/** The lines of a node: its name, then its notes or the totals of a run. */
export function linesOf({ label, notes, visited }: Node): readonly string[] {
  if (visited === null) return [label, ...notes].map((line) => excerpt(line));
  const { visits, durationMs, costMicroUsd } = visited;
  const time = durationMs === null ? [] : [formatDuration(durationMs)];
  const cost = costMicroUsd === 0 ? [] : [formatUsd(costMicroUsd)];
  return [excerpt(label), [`${String(visits)}×`, ...time, ...cost].join(" · ")];
}

export function captionOf({ labels, times }: Edge): string {
  const shown = labels.length <= MOST ? labels : [...labels.slice(0, MOST), "…"];
  return `${shown.map((label) => excerpt(label)).join(", ")}${times === null ? "" : ` ${String(times)}×`}`;
}

const MOST = 3;

/** The label of a move: its tag or key, with the values that distinguish moves. */
export function labelOf({ by, values }: OutlinedMove): string {
  const { delay, min, payload } = values;
  const isAnswer = payload !== undefined && /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,19}$/u.test(payload);
  return [
    by,
    ...(delay === undefined ? [] : [isTime(delay) ? `in ${excerpt(delay)}` : "later"]),
    ...(min === undefined ? [] : [`of ${min}`]),
    ...(isAnswer ? [payload] : []),
  ].join(" ");
}

export function afterTime(written: string | undefined): string {
  return written !== undefined && isTime(written) ? `after ${excerpt(written)}` : "too late";
}

/** Whether a duration is literal, not known only at run time. */
export function isTime(written: string): boolean {
  return parseDuration(written) !== null;
}
