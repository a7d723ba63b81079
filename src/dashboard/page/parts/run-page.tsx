import { useEffect, useMemo, useState } from "preact/hooks";
import type { DiffJson, GraphJson, RunCostJson, StepJson } from "../../api.ts";
import type { LinkState } from "../follow.ts";
import { type Mark, marksOf } from "../graph-marks.ts";
import { printRoute, type RunRoute } from "../route.ts";
import { shownText } from "../shown-text.ts";
import { possibleIn } from "../status-look.ts";
import { useDoer } from "../use-doer.ts";
import { useKeys } from "../use-keys.ts";
import { MOST_OF_AGENT, useRun } from "../use-run.ts";
import { useServer } from "../use-server.ts";
import { AgentList } from "./agent-list.tsx";
import { CostPane } from "./cost-pane.tsx";
import { GraphPane } from "./graph-pane.tsx";
import { Problem } from "./problem.tsx";
import { Questions } from "./questions.tsx";
import { RerunPane } from "./rerun-pane.tsx";
import { RunHead } from "./run-head.tsx";
import { StateList } from "./state-list.tsx";
import { StepList } from "./step-list.tsx";
import { StepPane } from "./step-pane.tsx";
import { Tabs } from "./tabs.tsx";

interface Props {
  readonly route: RunRoute;
  readonly control: boolean;
  readonly now: number;
  readonly link: (state: LinkState) => void;
}

const TABS = ["steps", "agents", "states", "cost"] as const;
const RERUN_TABS = [...TABS, "changes"] as const;
type Tab = (typeof RERUN_TABS)[number];

/** All there is to see of a run. */
export function RunPage({ route, control, now, link }: Props) {
  const { folder, run, step } = route;
  const watched = useRun(folder, run, link);
  const { address, overview, book, version } = watched;
  const [tab, setTab] = useState<Tab>("steps");
  const [agent, setAgent] = useState<string | null>(null);
  const [state, setState] = useState<string | null>(null);
  const graph = useServer<GraphJson>(`${address}/graph`, version);
  const cost = useServer<RunCostJson>(tab === "cost" ? `${address}/cost` : null, version);
  const origin = overview.value?.origin?.run ?? null;
  const diff = useServer<DiffJson>(
    tab === "changes" && origin !== null
      ? `${address}/diff?with=${encodeURIComponent(origin)}`
      : null,
    version,
  );
  const ended = step === null ? null : book.steps.get(step)?.ended;
  const detail = useServer<StepJson>(
    step === null || !watched.isOpen ? null : `${address}/steps/${String(step)}`,
    ended == null ? 0 : 1,
  );
  const doer = useDoer(address, control);
  const value = overview.value;
  const marks = useMemo(() => {
    if (graph.value === null || value === null) return new Map<string, Mark>();
    return marksOf(graph.value, value.agents, value.questions);
  }, [graph.value, value]);
  const up = printRoute({ view: "run", folder, run, step: null });
  const show = (next: Tab) => () => {
    setTab(next);
    if (step !== null) location.hash = up;
  };

  useEffect(() => {
    if (agent !== null && watched.isOpen) watched.wantOf(agent);
  }, [agent, watched.isOpen, watched.wantOf]);
  useEffect(() => {
    const asks = value?.questions.filter(({ answered }) => !answered).length ?? 0;
    document.title = `${asks > 0 ? `(${String(asks)}) ` : ""}${run} · raymond`;
  }, [run, value]);
  useKeys({
    "1": show("steps"),
    "2": show("agents"),
    "3": show("states"),
    "4": show("cost"),
    "5": origin === null ? undefined : show("changes"),
    u: () => {
      location.hash = step === null ? printRoute({ view: "runs" }) : up;
    },
    a: () => document.querySelector<HTMLElement>("[data-answer]")?.focus(),
    l: () => document.querySelector<HTMLElement>(".list")?.focus(),
  });

  if (watched.gone !== null) return <Problem problem={watched.gone} />;
  if (value === null) {
    return overview.problem === null ? (
      <p class="empty">Reading …</p>
    ) : (
      <Problem problem={overview.problem} />
    );
  }
  return (
    <>
      <RunHead overview={value} doer={doer} now={now} />
      <Questions
        questions={value.questions}
        agents={value.agents}
        doer={doer}
        stands={possibleIn(value.status).resume}
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
            {...{ number: step, detail, book, up, now }}
            isElsewhere={value.place !== null}
          />
        ) : (
          <section class="panel" aria-label="Run in detail">
            <Tabs
              tabs={origin === null ? TABS : RERUN_TABS}
              chosen={tab}
              onChoose={setTab}
              counts={{
                steps: Math.max(0, book.last - (value.origin?.after ?? 0)),
                agents: value.agents.length,
              }}
            />
            {tab === "steps" && (
              <>
                {agent !== null && (
                  <p class="body row">
                    Steps of <strong>{shownText(agent)}</strong>
                    <span class="dim">the last {MOST_OF_AGENT} at most</span>
                    <button
                      type="button"
                      onClick={() => {
                        setAgent(null);
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
                  chosen={step}
                  onSeen={watched.want}
                  now={now}
                  onChoose={(number) => {
                    location.hash = printRoute({ view: "run", folder, run, step: number });
                  }}
                />
              </>
            )}
            {tab === "agents" && (
              <AgentList
                overview={value}
                doer={doer}
                chosen={agent}
                now={now}
                onChoose={(chosen) => {
                  setAgent(chosen);
                  setTab("steps");
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
