import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatActor } from "../../../console/format/format-actor.ts";
import { localTime } from "../../../console/local-time.ts";
import { actorOf } from "../../../log/codec/event-values.ts";
import type { GraphJson, OverviewJson } from "../../api.ts";
import type { LinkState } from "../follow.ts";
import { Navigated, navigate } from "../hooks/browser.ts";
import { type ActionState, useActions } from "../hooks/use-actions.ts";
import { useKeys } from "../hooks/use-keys.ts";
import { type Loaded, useResource } from "../hooks/use-resource.ts";
import { type FollowedRun, MAX_AGENT_STEPS, useRun } from "../hooks/use-run.ts";
import { type Mark, marksOf } from "../model/graph-marks.ts";
import { type RunRoute, type RunsRoute, TABS, type Tab } from "../route.ts";
import { Problem, Resource } from "./basics.tsx";
import { CostPane } from "./cost-pane.tsx";
import { GraphPane } from "./graph-pane.tsx";
import { AgentList, StateList, StepList } from "./lists.tsx";
import { Questions } from "./questions.tsx";
import { RerunPane } from "./rerun-pane.tsx";
import { RunHead } from "./run-head.tsx";
import { SetResult } from "./set-result.tsx";
import { StepPane } from "./step-pane.tsx";
import { Table } from "./table.tsx";

interface Props {
  readonly route: RunRoute;
  readonly control: boolean;
  readonly link: (state: LinkState) => void;
  /** The list that "up" returns to. */
  readonly list: RunsRoute;
}

/** Follows a run and shows it once it is loaded. */
export function RunPage({ route, control, link, list }: Props) {
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
      {(value) => <RunView {...{ route, run, overview: value, graph, actions }} />}
    </Resource>
  );
}

function useRunKeys(route: RunRoute, list: RunsRoute, isRerun: boolean): void {
  const up: RunRoute = { ...route, step: null };
  const tabs = TABS.filter((tab) => tab !== "changes" || isRerun).map((tab, index) => {
    const show = () => {
      navigate({ ...up, tab });
    };
    return [String(index + 1), show] as const;
  });
  const focusList = () => listIn()?.focus();
  useKeys({
    ...Object.fromEntries(tabs),
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
  readonly run: FollowedRun;
  readonly overview: OverviewJson;
  readonly graph: Loaded<GraphJson>;
  readonly actions: ActionState;
}

function RunView(props: ViewProps) {
  const { route, run, overview, graph, actions } = props;
  const { step, tab, agent } = route;
  const [state, setState] = useState<string | null>(null);
  const marks = useMemo(() => {
    if (graph.value === null) return new Map<string, Mark>();
    return marksOf(graph.value, overview.agents, overview.questions);
  }, [graph.value, overview]);
  const last = useRef(step);
  if (step !== null) last.current = step;
  const navigated = useContext(Navigated);
  const isShown = useRef(false);
  useEffect(() => {
    // At first the heading receives the focus. Its effect may run after this one.
    if (!isShown.current) {
      isShown.current = true;
      return;
    }
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
      <RunHead {...{ overview, actions }} />
      <Questions {...{ overview, actions }} />
      <SetResult {...{ overview, actions }} />
      <div class="halves">
        <GraphPane
          {...{ graph, marks, chosen: state }}
          onChoose={(chosen) => {
            setState(chosen);
            navigate({ ...route, step: null, tab: "states" });
          }}
        />
        {step === null ? (
          <Details {...{ ...props, marks, state, setState }} last={last.current} />
        ) : (
          <StepPane
            key={step}
            {...{ run, number: step, up: { ...route, step: null } }}
            isElsewhere={overview.place !== null}
          />
        )}
      </div>
    </>
  );
}

interface DetailsProps extends ViewProps {
  readonly marks: ReadonlyMap<string, Mark>;
  readonly state: string | null;
  readonly setState: (state: string) => void;
  /** The step that was open last. */
  readonly last: number | null;
}

function Details(props: DetailsProps) {
  const { route, run, overview, graph, actions, marks, state, setState } = props;
  const { folder, tab, agent } = route;
  return (
    <section class="panel" aria-label="Run in detail">
      <Tabs route={route} overview={overview} last={run.book.last} />
      {tab === "attempts" && <Attempts {...props} />}
      {tab === "agents" && (
        <AgentList
          {...{ overview, actions, chosen: agent }}
          onChoose={(chosen) => {
            navigate({ ...route, tab: "attempts", agent: chosen });
          }}
        />
      )}
      {tab === "states" && (
        <StateList graph={graph.value} marks={marks} chosen={state} onChoose={setState} />
      )}
      {tab === "cost" && <CostPane run={run} />}
      {tab === "commands" && <CommandPane overview={overview} />}
      {tab === "changes" && <RerunPane {...{ folder, run, origin: overview.origin?.run }} />}
    </section>
  );
}

function Attempts({ route, run, overview, last }: DetailsProps) {
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
        {...{ book: run.book, agent, chosen: last, onVisible: run.loadSteps }}
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

/** Who started, controlled and changed the run. */
function CommandPane({ overview: { commands } }: { readonly overview: OverviewJson }) {
  if (commands === null) return <p class="empty">The event log is not available.</p>;
  return (
    <div class="body wide">
      <Table class="costs" columns={["At", "Command", "By", "Agent", "Detail"]}>
        {commands.toReversed().map(({ at, action, actor, agent, detail }, index) => (
          <tr key={index}>
            <td>{localTime(Date.parse(at))}</td>
            <td>{action}</td>
            <td>{formatActor(actorOf(actor))}</td>
            <td>{agent ?? ""}</td>
            <td>{detail ?? ""}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
