import { useState } from "preact/hooks";
import { captionOf, linesOf } from "../../../core/graph/caption.ts";
import type { GraphJson } from "../../api.ts";
import type { Mark } from "../graph-marks.ts";
import { useLayout } from "../use-layout.ts";
import type { Kept } from "../use-server.ts";
import { GraphPicture } from "./graph-picture.tsx";
import { Problem } from "./problem.tsx";

interface Props {
  readonly graph: Kept<GraphJson>;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly chosen: string | null;
  readonly onChoose: (state: string) => void;
}

/** The picture of a run, whole at first; as large as its letters want it where that is asked for. */
export function GraphPane({ graph: { value: graph, problem }, marks, chosen, onChoose }: Props) {
  const [isLarge, setLarge] = useState(false);
  const laid = useLayout(graph);
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
      {graph !== null && laid === null && (
        <p class="empty">Drawing {graph.nodes.length} states …</p>
      )}
      {graph !== null && laid !== null && (
        <section
          class={isLarge ? "graph" : "graph fitted"}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached by keys
          tabIndex={0}
          aria-label="Picture of the workflow"
        >
          <GraphPicture
            {...laid}
            {...{ graph, marks, chosen, onChoose }}
            title={`The workflow ${graph.title}; the tab States has the same in words`}
          />
        </section>
      )}
      {graph !== null && <Words graph={graph} />}
    </section>
  );
}

/** The same for who cannot see the picture. */
function Words({ graph }: { readonly graph: GraphJson }) {
  const names = new Map(graph.nodes.map(({ id, label }) => [id, label]));
  return (
    <ul class="hidden-words" aria-label="Ways of the workflow">
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
