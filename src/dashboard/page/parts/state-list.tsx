import { linesOf } from "../../../core/graph/caption.ts";
import type { GraphJson, OverviewAgentJson } from "../../api.ts";
import { marksOf } from "../graph-marks.ts";
import { shownText } from "../shown-text.ts";
import { VirtualList } from "./virtual-list.tsx";

interface Props {
  readonly graph: GraphJson | null;
  readonly agents: readonly OverviewAgentJson[];
  readonly chosen: string | null;
  readonly onChoose: (state: string) => void;
}

/** The states of the workflow: the picture in words. */
export function StateList({ graph, agents, chosen, onChoose }: Props) {
  const marks = marksOf(agents);
  const states = (graph?.nodes ?? []).flatMap((node) =>
    node.state === null ? [] : [{ node, state: node.state, mark: marks.get(node.state) }],
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
      empty="No state."
      draw={({ node, state, mark }) => {
        const [, ...notes] = linesOf(node);
        const here = agents.filter((agent) => !agent.ended && agent.state === state);
        return (
          <>
            <div>
              <strong>{shownText(state)}</strong>
              <span class="grow dim">{node.gate ? "gate" : node.kind}</span>
              <span class="keep number">{node.visited === null ? "" : notes.join(" ")}</span>
            </div>
            <div>
              <span
                class={`grow ${mark?.does === "failed" ? "bad" : mark?.does === "asks" ? "warn" : "dim"}`}
              >
                {mark === undefined
                  ? (node.problem ?? (node.visited === null ? "not entered yet" : ""))
                  : `${shownText(
                      here
                        .map(({ agent }) => agent)
                        .slice(0, 4)
                        .join(", "),
                    )}${here.length > 4 ? ` and ${String(here.length - 4)} more` : ""} ${mark.does === "asks" ? "asks" : mark.does === "failed" ? "failed" : "here now"}`}
              </span>
            </div>
          </>
        );
      }}
    />
  );
}
