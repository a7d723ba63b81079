import { useEffect, useMemo, useState } from "preact/hooks";
import type { Graph } from "../../../analysis/graph/graph.ts";
import { type Boxes, boxesOf, type Layout } from "../../../analysis/graph/layout.ts";
import { withoutRun } from "../model/graph-marks.ts";

/** URL of the bundled `layout-worker.ts`, set by the build. */
declare const LAYOUT_WORKER: string;

export interface PlacedGraph {
  readonly boxes: Boxes;
  readonly layout: Layout;
}

/** Layouts since the page was loaded: the layout of a large workflow takes seconds. */
const CACHE = new Map<string, PlacedGraph>();

/**
 * The layout of a graph, computed again only when nodes or edges change; null until it is available. A run can add
 * undeclared edges: the previous layout is used until the new one is available.
 */
export function useLayout(graph: Graph | null): PlacedGraph | null {
  const plain = useMemo(() => (graph === null ? null : boxesOf(withoutRun(graph))), [graph]);
  const key = useMemo(() => JSON.stringify(plain), [plain]);
  const [laid, setLaid] = useState<(PlacedGraph & { readonly key: string }) | null>(null);
  useEffect(() => {
    const known = CACHE.get(key);
    if (known !== undefined) setLaid({ key, ...known });
    if (plain === null || known !== undefined) return;
    const worker = new Worker(LAYOUT_WORKER);
    worker.addEventListener("message", ({ data }: MessageEvent<Layout>) => {
      CACHE.set(key, { boxes: plain, layout: data });
      setLaid({ key, boxes: plain, layout: data });
    });
    worker.postMessage(plain);
    return () => {
      worker.terminate();
    };
  }, [key]);
  if (laid === null || plain === null) return null;
  return laid.key === key || isExtension(plain, laid.boxes) ? laid : null;
}

/** Whether the graph only has new nodes and edges at the end. */
function isExtension(boxes: Boxes, laid: Boxes): boolean {
  const nodes = boxes.nodes.slice(0, laid.nodes.length);
  const edges = boxes.edges.slice(0, laid.edges.length);
  return JSON.stringify({ nodes, edges }) === JSON.stringify(laid);
}
