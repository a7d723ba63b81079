import type { OverviewJson } from "../../api.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import { type AgentRow, agentRow } from "../rows/agent-rows.ts";
import { endDelayLabel } from "./run-head.tsx";
import { VirtualList } from "./virtual-list.tsx";

interface Props {
  readonly overview: OverviewJson;
  readonly actions: ActionState;
  /** The selected agent; null: all. */
  readonly chosen: string | null;
  readonly onChoose: (agent: string) => void;
  readonly now: number;
}

/** The agents of a run: living ones first. */
export function AgentList({ overview, actions, chosen, onChoose, now }: Props) {
  const delayed = overview.agents.filter(({ waits_for }) => waits_for?.for === "delay");
  return (
    <>
      {actions.control && delayed.length > 0 && (
        <p class="body row">
          <button
            type="button"
            disabled={actions.busy}
            onClick={() => void actions.run("retry", {})}
          >
            {endDelayLabel(delayed.length)}
          </button>
        </p>
      )}
      <VirtualList
        label="Agents"
        rows={overview.agents}
        rowHeight={56}
        keyOf={({ agent }) => agent}
        chosen={chosen}
        onChoose={({ agent }) => {
          onChoose(agent);
        }}
        empty="No agents."
        draw={(agent) => <Row row={agentRow(agent, overview, now)} />}
      />
    </>
  );
}

function Row({ row }: { readonly row: AgentRow }) {
  return (
    <>
      <div>
        <span class={`keep ${row.tone}`} aria-hidden="true">
          {row.symbol}
        </span>
        <strong>{row.agent}</strong>
        <span class="grow dim">{row.state}</span>
        <span class="keep number">{row.cost}</span>
      </div>
      <div>
        <span class="grow dim">
          {row.does}
          {row.text !== "" && `: ${row.text}`}
        </span>
        <span class="keep number dim">{row.context}</span>
      </div>
    </>
  );
}
