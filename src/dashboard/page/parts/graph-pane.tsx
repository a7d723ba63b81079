import { useEffect, useMemo, useState } from "preact/hooks";
import { captionOf, type Graph, linesOf } from "../../../analysis/graph/graph.ts";
import { type Boxes, boxesOf, type Layout } from "../../../analysis/graph/layout.ts";
import type { GraphJson } from "../../api.ts";
import type { Loaded } from "../hooks/use-resource.ts";
import { type Mark, withoutRun } from "../model/graph-marks.ts";
import { Problem } from "./basics.tsx";
import { GraphPicture } from "./graph-picture.tsx";

interface Props {
  readonly graph: Loaded<GraphJson>;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly chosen: string | null;
  readonly onChoose: (state: string) => void;
}

/** The workflow graph, scaled to fit or at full size. */
export function GraphPane({ graph: { value: graph, problem }, ...picture }: Props) {
  const [isLarge, setLarge] = useState(false);
  const placed = useLayout(graph);
  return (
    <section class="panel" aria-label="Workflow">
      <header>
        <h2>Workflow</h2>
        <button
          type="button"
          class="push"
          aria-pressed={isLarge}
          onClick={() => {
            setLarge(!isLarge);
          }}
        >
          {isLarge ? "Fit" : "Full size"}
        </button>
      </header>
      {problem !== null && <Problem problem={problem} />}
      {graph !== null && placed === null && (
        <p class="empty">Drawing {graph.nodes.length} states …</p>
      )}
      {graph !== null && placed !== null && (
        <section
          class={isLarge ? "graph" : "graph fitted"}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
          tabIndex={0}
          aria-label="Workflow graph"
        >
          <GraphPicture {...{ graph, ...placed, ...picture }} />
        </section>
      )}
      {graph !== null && <GraphText graph={graph} />}
    </section>
  );
}

function GraphText({ graph }: { readonly graph: GraphJson }) {
  const names = new Map(graph.nodes.map(({ id, label }) => [id, label]));
  return (
    <ul class="hidden-words" aria-label="Transitions of the workflow">
      {graph.nodes.map((node) => (
        <li key={node.id}>
          {linesOf(node).join(", ")}
          {graph.edges
            .filter(({ from }) => from === node.id)
            .map((edge) => `; ${captionOf(edge)} to ${names.get(edge.to) ?? edge.to}`)}
        </li>
      ))}
    </ul>
  );
}

/** URL of the bundled `layout-worker.ts`, set by the build. */
declare const LAYOUT_WORKER: string;

interface PlacedGraph {
  readonly boxes: Boxes;
  readonly layout: Layout;
}

/** Layouts since the page was loaded: the layout of a large workflow takes seconds. */
const CACHE = new Map<string, PlacedGraph>();

/**
 * The layout of a graph, computed again only when nodes or edges change; null until it is available. A run can add
 * undeclared edges: the previous layout is used until the new one is available.
 */
function useLayout(graph: Graph | null): PlacedGraph | null {
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
