import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd } from "../../language/basics/money.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import type { Edge, Node } from "./graph.ts";

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
