import { useEffect, useMemo, useState } from "preact/hooks";
import { boxesOf } from "../../core/graph/boxes.ts";
import type { Graph } from "../../core/graph/graph.ts";
import type { Boxes, Layout } from "../../core/graph/layout.ts";
import { bare } from "./graph-marks.ts";

/** Where the build has put `layout-worker.ts`. */
declare const LAYOUT_WORKER: string;

export interface Laid {
  readonly boxes: Boxes;
  readonly layout: Layout;
}

/** What was found since the page was opened: who comes back to a large workflow does not wait again. */
const FOUND = new Map<string, Laid>();

/**
 * The places of a picture, found anew only when what is drawn has changed; null until they are found. A way that nobody
 * has declared comes while a run goes on: until it has its place, all that was there keeps its own.
 */
export function useLayout(graph: Graph | null): Laid | null {
  const plain = useMemo(() => (graph === null ? null : boxesOf(bare(graph))), [graph]);
  const key = useMemo(() => JSON.stringify(plain), [plain]);
  const [laid, setLaid] = useState<(Laid & { readonly key: string }) | null>(null);
  useEffect(() => {
    const known = FOUND.get(key);
    if (known !== undefined) setLaid({ key, ...known });
    if (plain === null || known !== undefined) return;
    const worker = new Worker(LAYOUT_WORKER);
    worker.addEventListener("message", ({ data }: MessageEvent<Layout>) => {
      FOUND.set(key, { boxes: plain, layout: data });
      setLaid({ key, boxes: plain, layout: data });
    });
    worker.postMessage(plain);
    return () => {
      worker.terminate();
    };
  }, [key]);
  if (laid === null || plain === null) return null;
  return laid.key === key || isMore(plain, laid.boxes) ? laid : null;
}

/** Whether all that has a place is still drawn, and something behind it. */
function isMore(boxes: Boxes, laid: Boxes): boolean {
  const begins = (of: Boxes) => {
    return {
      nodes: of.nodes.slice(0, laid.nodes.length),
      edges: of.edges.slice(0, laid.edges.length),
    };
  };
  return JSON.stringify(begins(boxes)) === JSON.stringify(laid);
}
