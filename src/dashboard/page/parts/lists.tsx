import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { linesOf } from "../../../analysis/graph/graph.ts";
import { localTime } from "../../../console/local-time.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatContext } from "../../../language/basics/tokens.ts";
import type { GraphJson, OverviewJson } from "../../api.ts";
import { useNow } from "../hooks/browser.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import { agentBadge, agentPlace, agentText } from "../model/agents.ts";
import type { Badge } from "../model/badge.ts";
import { formatCost } from "../model/cost.ts";
import { ACTIVITY_TEXT, type Mark } from "../model/graph-marks.ts";
import type { RowsInView } from "../model/rows-in-view.ts";
import { stepBadge, stepCost, stepDuration, stepText, stringIn } from "../model/step.ts";
import { agentOf, type StepBook } from "../model/step-book.ts";
import { ActionButton } from "./basics.tsx";
import { VirtualList } from "./virtual-list.tsx";

interface RowProps {
  readonly badge?: Badge;
  /** Text for screen readers. */
  readonly hidden?: string;
  readonly name: string;
  readonly about: ComponentChildren;
  readonly figures: readonly string[];
  readonly text: ComponentChildren;
  readonly aside?: string | null;
}

function ListRow({ badge, hidden, name, about, figures, text, aside }: RowProps) {
  return (
    <>
      <div>
        {badge !== undefined && (
          <span class={`keep ${badge.tone}`} aria-hidden="true">
            {badge.symbol}
          </span>
        )}
        {hidden !== undefined && <span class="hidden-words">{hidden}</span>}
        <strong>{name}</strong>
        <span class="grow dim">{about}</span>
        {figures.map((figure, at) => (
          <span key={at} class={at === 0 ? "keep number" : "keep number dim"}>
            {figure}
          </span>
        ))}
      </div>
      <div>
        <span class="grow dim">{text}</span>
        <span class="keep number dim">{aside}</span>
      </div>
    </>
  );
}

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
}

/** The steps of a run, newest first. Steps that are not loaded yet are placeholders. */
export function StepList({ book, first, agent, chosen, onChoose, onVisible }: StepListProps) {
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
      draw={(number) => <StepRow book={book} number={number} />}
    />
  );
}

function StepRow({ book, number }: { readonly book: StepBook; readonly number: number }) {
  const now = useNow();
  const step = book.steps.get(number);
  if (step === undefined) return <p class="dim">#{number} …</p>;
  const { started } = step;
  const agent = agentOf(started) ?? "";
  const current = book.current.get(agent);
  const badge = stepBadge(step);
  return (
    <ListRow
      badge={badge}
      hidden={badge.words}
      name={stringIn(started, "state")}
      about={
        <>
          {agent} <span class="mono">#{number}</span>
        </>
      }
      figures={[stepCost(step), stepDuration(step, now)]}
      text={stepText(step, current?.step === number ? current.events.at(-1) : undefined)}
      aside={localTime(Date.parse(started.at ?? "")).slice(11)}
    />
  );
}

interface AgentListProps {
  readonly overview: OverviewJson;
  readonly actions: ActionState;
  /** The selected agent; null: all. */
  readonly chosen: string | null;
  readonly onChoose: (agent: string) => void;
}

export function AgentList({ overview, actions, chosen, onChoose }: AgentListProps) {
  const delayed = overview.agents.filter(({ waits_for }) => waits_for?.for === "delay");
  return (
    <>
      {actions.control && delayed.length > 0 && (
        <p class="body row">
          <ActionButton actions={actions} action="retry">
            End the delay of {counted(delayed.length, "agent")}
          </ActionButton>
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
        draw={(agent) => <AgentRow {...{ agent, overview }} />}
      />
    </>
  );
}

interface AgentRowProps {
  readonly agent: OverviewJson["agents"][number];
  readonly overview: OverviewJson;
}

function AgentRow({ agent, overview }: AgentRowProps) {
  const badge = agentBadge(agent, overview.status, useNow());
  const text = agentText(agent, overview);
  return (
    <ListRow
      badge={badge}
      name={agent.agent}
      about={agentPlace(agent, overview.agents)}
      figures={[formatCost(agent.cost_usd)]}
      text={text === "" ? badge.words : `${badge.words}: ${text}`}
      aside={agent.context && formatContext(agent.context)}
    />
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
          <ListRow
            name={state}
            about={gate ? "gate" : kind}
            figures={visited === null ? [] : [linesOf(node).slice(1).join(" ")]}
            text={<span class={toneOf(mark)}>{mark.length === 0 ? idle : agentNames(mark)}</span>}
          />
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
