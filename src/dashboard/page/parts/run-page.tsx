import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiffJson, GraphJson, RunCostJson, StepJson } from "../../api.ts";
import type { LinkState } from "../follow.ts";
import { useActions } from "../hooks/use-actions.ts";
import { useKeys } from "../hooks/use-keys.ts";
import { useResource } from "../hooks/use-resource.ts";
import { MAX_AGENT_STEPS, useRun } from "../hooks/use-run.ts";
import { isFocusLost, Navigated, navigate } from "../navigation.ts";
import { printRoute, type RunRoute, type RunsRoute, TABS, type Tab } from "../route.ts";
import { type Mark, marksOf } from "../rows/graph-marks.ts";
import { shownText } from "../rows/shown-text.ts";
import { allowedActions } from "../rows/status-look.ts";
import { AgentList } from "./agent-list.tsx";
import { CostPane } from "./panes/cost-pane.tsx";
import { GraphPane } from "./panes/graph-pane.tsx";
import { RerunPane } from "./panes/rerun-pane.tsx";
import { StepPane } from "./panes/step-pane.tsx";
import { Problem } from "./problem.tsx";
import { Questions } from "./questions.tsx";
import { RunHead } from "./run-head.tsx";
import { StateList } from "./state-list.tsx";
import { StepList } from "./step-list.tsx";
import { Tabs } from "./tabs.tsx";

interface Props {
  readonly route: RunRoute;
  readonly control: boolean;
  readonly now: number;
  readonly link: (state: LinkState) => void;
  /** The list that "up" returns to. */
  readonly list: RunsRoute;
}

const OWN_TABS = TABS.filter((tab) => tab !== "changes");

export function RunPage({ route, control, now, link, list }: Props) {
  const { folder, run, step, tab, agent } = route;
  const watched = useRun(folder, run, link);
  const { address, overview, book, version } = watched;
  const [state, setState] = useState<string | null>(null);
  const graph = useResource<GraphJson>(`${address}/graph`, version);
  const cost = useResource<RunCostJson>(tab === "cost" ? `${address}/cost` : null, version);
  const origin = overview.value?.origin?.run ?? null;
  const diff = useResource<DiffJson>(
    tab === "changes" && origin !== null
      ? `${address}/diff?with=${encodeURIComponent(origin)}`
      : null,
    version,
  );
  const ended = step === null ? null : book.steps.get(step)?.ended;
  const detail = useResource<StepJson>(
    step === null || !watched.isOpen ? null : `${address}/steps/${String(step)}`,
    ended == null ? 0 : 1,
  );
  const value = overview.value;
  const actions = useActions(address, control, value);
  const marks = useMemo(() => {
    if (graph.value === null || value === null) return new Map<string, Mark>();
    return marksOf(graph.value, value.agents, value.questions);
  }, [graph.value, value]);
  const up: RunRoute = { ...route, step: null };
  const show = (next: Tab) => () => {
    navigate({ ...up, tab: next });
  };
  const lastStep = useRef(step);
  if (step !== null) lastStep.current = step;
  const navigated = useContext(Navigated);
  useEffect(() => {
    if (!navigated.current || step !== null || !isFocusLost()) return;
    (listIn() ?? document.getElementById(`tab-${tab}`))?.focus();
  }, [step, tab, agent]);

  useEffect(() => {
    if (agent !== null && watched.isOpen) watched.loadAgentSteps(agent);
  }, [agent, watched.isOpen, watched.loadAgentSteps]);
  useEffect(() => {
    const asks = value?.questions.filter(({ answered }) => !answered).length ?? 0;
    document.title = `${asks > 0 ? `(${String(asks)}) ` : ""}${run} · raymond`;
  }, [run, value]);
  useKeys({
    "1": show("attempts"),
    "2": show("agents"),
    "3": show("states"),
    "4": show("cost"),
    "5": origin === null ? undefined : show("changes"),
    u: () => {
      navigate(step === null ? list : up);
    },
    a: () => document.querySelector<HTMLElement>("[data-answer]")?.focus(),
    l: () => listIn()?.focus(),
    j: () => listIn()?.focus(),
    k: () => listIn()?.focus(),
  });

  if (watched.gone !== null) return <Problem problem={watched.gone} />;
  if (value === null) {
    return overview.problem === null ? (
      <p class="empty">Loading …</p>
    ) : (
      <Problem problem={overview.problem} />
    );
  }
  return (
    <>
      <RunHead overview={value} actions={actions} now={now} />
      <Questions
        questions={value.questions}
        agents={value.agents}
        actions={actions}
        isStopped={allowedActions(value.status).resume}
        now={now}
      />
      <div class="halves">
        <GraphPane
          graph={graph}
          marks={marks}
          chosen={state}
          onChoose={(chosen) => {
            setState(chosen);
            show("states")();
          }}
        />
        {step !== null ? (
          <StepPane
            key={step}
            {...{ number: step, detail, book, up: printRoute(up), now }}
            isElsewhere={value.place !== null}
          />
        ) : (
          <section class="panel" aria-label="Run in detail">
            <Tabs
              tabs={origin === null ? OWN_TABS : TABS}
              chosen={tab}
              onChoose={(chosen) => {
                show(chosen)();
              }}
              counts={{
                attempts: Math.max(0, book.last - (value.origin?.after ?? 0)),
                agents: value.agents.length,
              }}
            />
            {tab === "attempts" && (
              <>
                {agent !== null && (
                  <p class="body row">
                    Attempts of <strong>{shownText(agent)}</strong>
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
                  book={book}
                  first={(value.origin?.after ?? 0) + 1}
                  agent={agent}
                  chosen={lastStep.current}
                  onVisible={watched.loadSteps}
                  now={now}
                  onChoose={(number) => {
                    navigate({ ...route, step: number });
                  }}
                />
              </>
            )}
            {tab === "agents" && (
              <AgentList
                overview={value}
                actions={actions}
                chosen={agent}
                now={now}
                onChoose={(chosen) => {
                  navigate({ ...route, tab: "attempts", agent: chosen });
                }}
              />
            )}
            {tab === "states" && (
              <StateList graph={graph.value} marks={marks} chosen={state} onChoose={setState} />
            )}
            {tab === "cost" && <CostPane cost={cost} />}
            {tab === "changes" && <RerunPane folder={folder} diff={diff} now={now} />}
          </section>
        )}
      </div>
    </>
  );
}

/** The list of the open tab. */
function listIn(): HTMLElement | null {
  return document.querySelector<HTMLElement>(".halves .list");
}
