import { linesOf } from "../../../analysis/graph/caption.ts";
import type { GraphJson } from "../../api.ts";
import { ACTIVITY_TEXT, type Mark } from "../rows/graph-marks.ts";
import { shownText } from "../rows/shown-text.ts";
import { VirtualList } from "./virtual-list.tsx";

interface Props {
  readonly graph: GraphJson | null;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly chosen: string | null;
  readonly onChoose: (state: string) => void;
}

/** The states of the workflow: the graph as text. */
export function StateList({ graph, marks, chosen, onChoose }: Props) {
  const states = (graph?.nodes ?? []).flatMap((node) =>
    node.state === null ? [] : [{ node, state: node.state, mark: marks.get(node.id) }],
  );
  return (
    <VirtualList
      label="States"
      rows={states}
      rowHeight={56}
      keyOf={({ state }) => state}
      chosen={chosen}
      onChoose={({ state }) => {
        onChoose(state);
      }}
      empty="No states."
      draw={({ node, state, mark }) => {
        const [, ...notes] = linesOf(node);
        return (
          <>
            <div>
              <strong>{shownText(state)}</strong>
              <span class="grow dim">{node.gate ? "gate" : node.kind}</span>
              <span class="keep number">{node.visited === null ? "" : notes.join(" ")}</span>
            </div>
            <div>
              <span class={`grow ${toneOf(mark)}`}>
                {mark === undefined
                  ? (node.problem ?? (node.visited === null ? "not visited yet" : ""))
                  : agentsText(mark)}
              </span>
            </div>
          </>
        );
      }}
    />
  );
}

function toneOf(mark: Mark | undefined): string {
  const does = mark?.groups[0]?.does;
  return does === "failed" ? "bad" : does === "asks" ? "warn" : "dim";
}

function agentsText({ groups }: Mark): string {
  return groups
    .map(({ does, agents }) => {
      const more = agents.length > 4 ? ` and ${String(agents.length - 4)} more` : "";
      return `${shownText(agents.slice(0, 4).join(", "))}${more} ${ACTIVITY_TEXT[does]}`;
    })
    .join("; ");
}
