import type { OverviewJson } from "../../api.ts";
import { type AgentRow, agentRow } from "../agent-rows.ts";
import type { Doer } from "../use-doer.ts";
import { wakeWords } from "./run-head.tsx";
import { VirtualList } from "./virtual-list.tsx";

interface Props {
  readonly overview: OverviewJson;
  readonly doer: Doer;
  /** The agent whose steps are shown; null: all. */
  readonly chosen: string | null;
  readonly onChoose: (agent: string) => void;
  readonly now: number;
}

/** The agents of a run: those that live, then those that have ended. */
export function AgentList({ overview, doer, chosen, onChoose, now }: Props) {
  const asleep = overview.agents.filter(({ waits_for }) => waits_for?.for === "delay");
  return (
    <>
      {doer.control && asleep.length > 0 && (
        <p class="body row">
          <button type="button" disabled={doer.busy} onClick={() => void doer.act("wake", {})}>
            {wakeWords(asleep.length)}
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
        empty="No agent."
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
