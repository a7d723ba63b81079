import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RunsDiffJson, StepDetailJson } from "../../../inspect/json/shapes.ts";
import type { GraphJson, OverviewJson, RunCostJson } from "../../api.ts";
import type { LinkState } from "../follow.ts";
import { Navigated, navigate } from "../hooks/browser.ts";
import { type ActionState, useActions } from "../hooks/use-actions.ts";
import { useKeys } from "../hooks/use-keys.ts";
import { type Loaded, useResource } from "../hooks/use-resource.ts";
import { MAX_AGENT_STEPS, useRun } from "../hooks/use-run.ts";
import { type Mark, marksOf } from "../model/graph-marks.ts";
import { printRoute, type RunRoute, type RunsRoute, TABS, type Tab } from "../route.ts";
import { Problem, Resource } from "./basics.tsx";
import { CostPane } from "./cost-pane.tsx";
import { GraphPane } from "./graph-pane.tsx";
import { AgentList, StateList, StepList } from "./lists.tsx";
import { Questions } from "./questions.tsx";
import { RerunPane } from "./rerun-pane.tsx";
import { RunHead } from "./run-head.tsx";
import { StepPane } from "./step-pane.tsx";

interface Props {
  readonly route: RunRoute;
  readonly control: boolean;
  readonly now: number;
  readonly link: (state: LinkState) => void;
  /** The list that "up" returns to. */
  readonly list: RunsRoute;
}

/** Follows a run and shows it once it is loaded. */
export function RunPage({ route, control, now, link, list }: Props) {
  const run = useRun(route.folder, route.run, link);
  const { address, overview, version } = run;
  const graph = useResource<GraphJson>(`${address}/graph`, version);
  const actions = useActions(address, control, overview.value);
  useRunKeys(route, list, overview.value?.origin != null);
  const open = overview.value?.questions.filter(({ answered }) => !answered).length ?? 0;
  useEffect(() => {
    document.title = `${open > 0 ? `(${String(open)}) ` : ""}${route.run} · raymond`;
  }, [route.run, open]);
  if (run.gone !== null) return <Problem problem={run.gone} />;
  return (
    <Resource of={overview.value === null ? overview : { ...overview, problem: null }}>
      {(value) => <RunView {...{ route, run, overview: value, graph, actions, now }} />}
    </Resource>
  );
}

function useRunKeys(route: RunRoute, list: RunsRoute, isRerun: boolean): void {
  const up: RunRoute = { ...route, step: null };
  const show = (tab: Tab) => () => {
    navigate({ ...up, tab });
  };
  const focusList = () => listIn()?.focus();
  useKeys({
    "1": show("attempts"),
    "2": show("agents"),
    "3": show("states"),
    "4": show("cost"),
    "5": isRerun ? show("changes") : undefined,
    u: () => {
      navigate(route.step === null ? list : up);
    },
    a: () => document.querySelector<HTMLElement>("[data-answer]")?.focus(),
    l: focusList,
    j: focusList,
    k: focusList,
  });
}

/** The list of the open tab. */
function listIn(): HTMLElement | null {
  return document.querySelector<HTMLElement>(".halves .list");
}

interface ViewProps {
  readonly route: RunRoute;
  readonly run: ReturnType<typeof useRun>;
  readonly overview: OverviewJson;
  readonly graph: Loaded<GraphJson>;
  readonly actions: ActionState;
  readonly now: number;
}

function RunView(props: ViewProps) {
  const { route, run, overview, graph, actions, now } = props;
  const { step, tab, agent } = route;
  const [state, setState] = useState<string | null>(null);
  const marks = useMemo(() => {
    if (graph.value === null) return new Map<string, Mark>();
    return marksOf(graph.value, overview.agents, overview.questions);
  }, [graph.value, overview]);
  const lastStep = useRef(step);
  if (step !== null) lastStep.current = step;
  const navigated = useContext(Navigated);
  useEffect(() => {
    const { activeElement, body } = document;
    const isFocusLost = activeElement === null || activeElement === body;
    if (!navigated.current || step !== null || !isFocusLost) return;
    (listIn() ?? document.getElementById(`tab-${tab}`))?.focus();
  }, [step, tab, agent]);
  useEffect(() => {
    if (agent !== null && run.isOpen) run.loadAgentSteps(agent);
  }, [agent, run.isOpen, run.loadAgentSteps]);
  return (
    <>
      <RunHead {...{ overview, actions, now }} />
      <Questions {...{ overview, actions, now }} />
      <div class="halves">
        <GraphPane
          {...{ graph, marks, chosen: state }}
          onChoose={(chosen) => {
            setState(chosen);
            navigate({ ...route, step: null, tab: "states" });
          }}
        />
        {step !== null ? (
          <Step key={step} {...props} number={step} />
        ) : (
          <section class="panel" aria-label="Run in detail">
            <Tabs route={route} overview={overview} last={run.book.last} />
            {tab === "attempts" && <Attempts {...props} last={lastStep.current} />}
            {tab === "agents" && (
              <AgentList
                {...{ overview, actions, chosen: agent, now }}
                onChoose={(chosen) => {
                  navigate({ ...route, tab: "attempts", agent: chosen });
                }}
              />
            )}
            {tab === "states" && (
              <StateList graph={graph.value} marks={marks} chosen={state} onChoose={setState} />
            )}
            {tab === "cost" && <Cost {...props} />}
            {tab === "changes" && <Changes {...props} />}
          </section>
        )}
      </div>
    </>
  );
}

function Step({ route, run, overview, now, number }: ViewProps & { readonly number: number }) {
  const { address, book, isOpen } = run;
  const hasEnded = book.steps.get(number)?.ended != null;
  const path = isOpen ? `${address}/steps/${String(number)}` : null;
  const detail = useResource<StepDetailJson>(path, hasEnded ? 1 : 0);
  const up = printRoute({ ...route, step: null });
  return <StepPane {...{ number, detail, book, up, isElsewhere: overview.place !== null, now }} />;
}

function Cost({ run: { address, version } }: ViewProps) {
  return <CostPane cost={useResource<RunCostJson>(`${address}/cost`, version)} />;
}

function Changes({ route, run: { address, version }, overview, now }: ViewProps) {
  const origin = overview.origin?.run;
  const path = `${address}/diff?with=${encodeURIComponent(origin ?? "")}`;
  const diff = useResource<RunsDiffJson>(origin === undefined ? null : path, version);
  return <RerunPane folder={route.folder} diff={diff} now={now} />;
}

/** `last`: the step that was open last. */
function Attempts({
  route,
  run,
  overview,
  now,
  last,
}: ViewProps & { readonly last: number | null }) {
  const { agent } = route;
  return (
    <>
      {agent !== null && (
        <p class="body row">
          Attempts of <strong>{agent}</strong>
          <span class="dim">the last {MAX_AGENT_STEPS}</span>
          <button
            type="button"
            onClick={() => {
              navigate({ ...route, agent: null });
            }}
          >
            Show all
          </button>
        </p>
      )}
      <StepList
        key={agent ?? ""}
        {...{ book: run.book, agent, chosen: last, onVisible: run.loadSteps, now }}
        first={(overview.origin?.after ?? 0) + 1}
        onChoose={(step) => {
          navigate({ ...route, step });
        }}
      />
    </>
  );
}

interface TabsProps {
  readonly route: RunRoute;
  readonly overview: OverviewJson;
  /** Number of the last step. */
  readonly last: number;
}

function Tabs({ route, overview: { origin, agents }, last }: TabsProps) {
  const tabs = TABS.filter((tab) => tab !== "changes" || origin != null);
  const counts: Partial<Record<Tab, number>> = {
    attempts: Math.max(0, last - (origin?.after ?? 0)),
    agents: agents.length,
  };
  const show = (tab: Tab) => {
    navigate({ ...route, tab });
  };
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = tabs[(tabs.indexOf(route.tab) + by + tabs.length) % tabs.length];
    if (by === 0 || next === undefined) return;
    event.preventDefault();
    show(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Run in detail" onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === route.tab}
          tabIndex={tab === route.tab ? 0 : -1}
          onClick={() => {
            show(tab);
          }}
        >
          {tab.charAt(0).toUpperCase() + tab.slice(1)}
          {counts[tab] !== undefined && <span class="dim number">{counts[tab]}</span>}
        </button>
      ))}
    </div>
  );
}
