import { useState } from "preact/hooks";
import { captionOf, linesOf } from "../../../analysis/graph/graph.ts";
import type { GraphJson } from "../../api.ts";
import { useLayout } from "../hooks/use-layout.ts";
import type { Loaded } from "../hooks/use-resource.ts";
import type { Mark } from "../model/graph-marks.ts";
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
