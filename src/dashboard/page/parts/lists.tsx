import { useMemo } from "preact/hooks";
import { linesOf } from "../../../analysis/graph/caption.ts";
import { localTime } from "../../../console/local-time.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatContext } from "../../../language/basics/tokens.ts";
import type { GraphJson, OverviewJson } from "../../api.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import { agentBadge, agentText } from "../model/agents.ts";
import { formatCost } from "../model/cost.ts";
import { ACTIVITY_TEXT, type Mark } from "../model/graph-marks.ts";
import type { RowsInView } from "../model/rows-in-view.ts";
import { stepBadge, stepCost, stepDuration, stepText, stringIn } from "../model/step.ts";
import { agentOf, type StepBook } from "../model/step-book.ts";
import { VirtualList } from "./virtual-list.tsx";

interface StepListProps {
  readonly book: StepBook;
  /** Number of the first step. A rerun continues the numbers of its origin. */
  readonly first: number;
  /** Only steps of this agent; null: all. */
  readonly agent: string | null;
  readonly chosen: number | null;
  readonly onChoose: (step: number) => void;
  /** Called with the range of visible steps. */
  readonly onVisible: (low: number, high: number) => void;
  readonly now: number;
}

/** The steps of a run, newest first. Steps that are not loaded yet are placeholders. */
export function StepList({ book, first, agent, chosen, onChoose, onVisible, now }: StepListProps) {
  const numbers = useMemo(() => {
    if (agent === null)
      return Array.from({ length: Math.max(0, book.last - first + 1) }, (_, at) => book.last - at);
    const own = [...book.steps.values()].filter(({ started }) => agentOf(started) === agent);
    return own.map(({ step }) => step).sort((a, b) => b - a);
  }, [book.last, first, agent, agent === null ? null : book.steps]);
  return (
    <VirtualList
      label="Attempts"
      rows={numbers}
      keyOf={String}
      chosen={chosen === null ? null : String(chosen)}
      onChoose={onChoose}
      onVisible={(seen: RowsInView) => {
        const [high, low] = [numbers[seen.first], numbers[seen.end - 1]];
        if (agent === null && high !== undefined && low !== undefined) onVisible(low, high);
      }}
      empty="No attempts yet."
      draw={(number) => <StepRow {...{ book, number, now }} />}
    />
  );
}

interface StepRowProps {
  readonly book: StepBook;
  readonly number: number;
  readonly now: number;
}

function StepRow({ book, number, now }: StepRowProps) {
  const step = book.steps.get(number);
  if (step === undefined) return <p class="dim">#{number} …</p>;
  const { started } = step;
  const agent = agentOf(started) ?? "";
  const current = book.current.get(agent);
  const { symbol, tone, words } = stepBadge(step);
  return (
    <>
      <div>
        <span class={`keep ${tone}`} aria-hidden="true">
          {symbol}
        </span>
        <span class="hidden-words">{words}</span>
        <strong>{stringIn(started, "state")}</strong>
        <span class="dim grow">
          {agent} <span class="mono">#{number}</span>
        </span>
        <span class="keep number">{stepCost(step)}</span>
        <span class="keep number dim">{stepDuration(step, now)}</span>
      </div>
      <div>
        <span class="grow dim">
          {stepText(step, current?.step === number ? current.events.at(-1) : undefined)}
        </span>
        <span class="keep number dim">{localTime(Date.parse(started.at ?? "")).slice(11)}</span>
      </div>
    </>
  );
}

interface AgentListProps {
  readonly overview: OverviewJson;
  readonly actions: ActionState;
  /** The selected agent; null: all. */
  readonly chosen: string | null;
  readonly onChoose: (agent: string) => void;
  readonly now: number;
}

/** The agents of a run: living ones first. */
export function AgentList({ overview, actions, chosen, onChoose, now }: AgentListProps) {
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
            End the delay of {counted(delayed.length, "agent")}
          </button>
        </p>
      )}
      <VirtualList
        label="Agents"
        rows={overview.agents}
        keyOf={({ agent }) => agent}
        chosen={chosen}
        onChoose={({ agent }) => {
          onChoose(agent);
        }}
        empty="No agents."
        draw={(agent) => <AgentRow {...{ agent, overview, now }} />}
      />
    </>
  );
}

interface AgentRowProps {
  readonly agent: OverviewJson["agents"][number];
  readonly overview: OverviewJson;
  readonly now: number;
}

function AgentRow({ agent, overview, now }: AgentRowProps) {
  const { symbol, tone, words } = agentBadge(agent, overview.status, now);
  const text = agentText(agent, overview);
  return (
    <>
      <div>
        <span class={`keep ${tone}`} aria-hidden="true">
          {symbol}
        </span>
        <strong>{agent.agent}</strong>
        <span class="grow dim">{agent.state}</span>
        <span class="keep number">{formatCost(agent.cost_usd)}</span>
      </div>
      <div>
        <span class="grow dim">{text === "" ? words : `${words}: ${text}`}</span>
        <span class="keep number dim">
          {agent.context !== null && formatContext(agent.context)}
        </span>
      </div>
    </>
  );
}

interface StateListProps {
  readonly graph: GraphJson | null;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly chosen: string | null;
  readonly onChoose: (state: string) => void;
}

/** The states of the workflow: the graph as text. */
export function StateList({ graph, marks, chosen, onChoose }: StateListProps) {
  const states = (graph?.nodes ?? []).flatMap((node) =>
    node.state === null ? [] : [{ node, state: node.state, mark: marks.get(node.id) ?? [] }],
  );
  return (
    <VirtualList
      label="States"
      rows={states}
      keyOf={({ state }) => state}
      chosen={chosen}
      onChoose={({ state }) => {
        onChoose(state);
      }}
      empty="No states."
      draw={({ node, state, mark }) => {
        const { gate, kind, visited, problem } = node;
        const idle = problem ?? (visited === null ? "not visited yet" : "");
        return (
          <>
            <div>
              <strong>{state}</strong>
              <span class="grow dim">{gate ? "gate" : kind}</span>
              <span class="keep number">
                {visited !== null && linesOf(node).slice(1).join(" ")}
              </span>
            </div>
            <div>
              <span class={`grow ${toneOf(mark)}`}>
                {mark.length === 0 ? idle : agentNames(mark)}
              </span>
            </div>
          </>
        );
      }}
    />
  );
}

function toneOf([first]: Mark): string {
  return first?.does === "failed" ? "bad" : first?.does === "asks" ? "warn" : "dim";
}

function agentNames(mark: Mark): string {
  return mark
    .map(({ does, agents }) => {
      const more = agents.length > 4 ? ` and ${String(agents.length - 4)} more` : "";
      return `${agents.slice(0, 4).join(", ")}${more} ${ACTIVITY_TEXT[does]}`;
    })
    .join("; ");
}
