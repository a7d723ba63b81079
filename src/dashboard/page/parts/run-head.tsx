import { useState } from "preact/hooks";
import { localMoment, localTime } from "../../../console/local-time.ts";
import type { PlaceJson } from "../../../inspect/json/shapes.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import { formatTokens } from "../../../language/basics/tokens.ts";
import type { OverviewJson } from "../../api.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import { useHeadingFocus } from "../navigation.ts";
import { printRoute, runRoute } from "../route.ts";
import { baseName, queueReason } from "../rows/run-rows.ts";
import { shareOf } from "../rows/share.ts";
import { shownText } from "../rows/shown-text.ts";
import { allowedActions } from "../rows/status-look.ts";
import { waitLines } from "../rows/wait-lines.ts";
import { Problem } from "./problem.tsx";
import { ShareBar } from "./share-bar.tsx";
import { StatusBadge } from "./status.tsx";

interface Props {
  readonly overview: OverviewJson;
  readonly actions: ActionState;
  readonly now: number;
}

/** Status, cost and actions of a run. */
export function RunHead({ overview, actions, now }: Props) {
  const { workflow, workflow_id, status, simulated } = overview;
  const heading = useHeadingFocus();
  return (
    <section class="panel" aria-label="Run">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {shownText(baseName(workflow.path))}
        </h1>
        <StatusBadge status={status} />
        {simulated && <span class="status">simulated</span>}
        <span class="dim mono">{shownText(workflow_id)}</span>
        <Controls overview={overview} actions={actions} />
      </header>
      <div class="body">
        <Facts overview={overview} now={now} />
      </div>
      <Reasons overview={overview} control={actions.control} now={now} />
      <div aria-live="polite">
        {actions.message !== null && <p class="body good">{shownText(actions.message)}</p>}
        {actions.problem !== null && <Problem problem={actions.problem} />}
      </div>
    </section>
  );
}

function Facts({ overview, now }: { readonly overview: OverviewJson; readonly now: number }) {
  const { settings, total_cost_usd, totals, started_at, steps, agents, worked_s, origin, folder } =
    overview;
  const { place } = overview;
  const attempts = overview.processes - (origin?.after ?? 0);
  const started = Date.parse(started_at);
  const spent = toMicroUsd(total_cost_usd + totals.estimated_usd);
  const budget = settings.budget_usd;
  const share = shareOf(spent, budget === null ? null : toMicroUsd(budget));
  const living = agents.filter(({ ended }) => !ended).length;
  const { input, output, cache_read, cache_write } = totals.tokens;
  return (
    <dl class="facts">
      <div>
        <dt>Cost{totals.estimated_usd > 0 ? " (partly estimated)" : ""}</dt>
        <dd>
          <strong>{formatUsd(spent)}</strong>
          {budget !== null && ` of ${formatUsd(toMicroUsd(budget))}`}
          <ShareBar share={share} />
        </dd>
      </div>
      <div>
        <dt>Steps</dt>
        <dd>
          {steps}
          {settings.max_steps !== null && ` of ${String(settings.max_steps)}`}
          {attempts > steps && <div class="dim">in {counted(attempts, "attempt")}</div>}
        </dd>
      </div>
      <div>
        <dt>Agents</dt>
        <dd>{agentCount(living, agents.length - living)}</dd>
      </div>
      <div>
        <dt>Started</dt>
        <dd title={localTime(started)}>{localMoment(started, now)}</dd>
      </div>
      {place !== null && (
        <div>
          <dt>Machine</dt>
          <dd>
            {place.home === null ? "not assigned" : shownText(place.home)}
            <div class="dim">{placeDetails(place)}</div>
          </dd>
        </div>
      )}
      {origin != null && (
        <div>
          <dt>Rerun of</dt>
          <dd>
            <a href={printRoute(runRoute(folder, origin.run, origin.step))}>
              {shownText(origin.run)}
            </a>
            , from step {origin.step}
            {origin.cost_usd > 0 &&
              ` (${formatUsd(toMicroUsd(origin.cost_usd))} already spent there)`}
          </dd>
        </div>
      )}
      {worked_s !== null && (
        <div>
          <dt>Active time</dt>
          <dd>{formatDuration(worked_s * 1_000)}</dd>
        </div>
      )}
      {input + output > 0 && (
        <div>
          <dt>Tokens</dt>
          <dd>
            {formatTokens(input + cache_read + cache_write)} in, {formatTokens(output)} out
          </dd>
        </div>
      )}
    </dl>
  );
}

function placeDetails({ pool, account, workspace }: PlaceJson): string {
  const billed = account === null ? "" : `, account ${account}`;
  return shownText(`pool ${pool}${billed}, workspace ${workspace}`);
}

function agentCount(living: number, ended: number): string {
  if (ended === 0) return String(living);
  return living === 0
    ? `${String(ended)} ended`
    : `${String(living)} alive, ${String(ended)} ended`;
}

interface ReasonsProps {
  readonly overview: OverviewJson;
  readonly control: boolean;
  readonly now: number;
}

/** Why the run makes no progress, until when, and how to continue. */
function Reasons({ overview, control, now }: ReasonsProps) {
  const { stop_reason, status, next, held_up, held_by, place, away } = overview;
  const waits = waitLines(overview, now);
  const unavailable = away === null ? null : <Problem problem={away} isStale />;
  if (status === "completed") return unavailable;
  return (
    <>
      {unavailable}
      {status === "queued" && place !== null && held_up.length === 0 && (
        <div class="notice warn">
          <p>Waiting {queueReason(place)}.</p>
        </div>
      )}
      {held_up.length > 0 && (
        <div class="notice warn">
          {held_up.map(({ agent, message }) => (
            <p key={agent}>{shownText(`${agent ?? "The run"} ${message}`)}</p>
          ))}
        </div>
      )}
      {stop_reason === null && waits.length > 0 && (
        <div class="notice warn">
          <Lines lines={waits} />
        </div>
      )}
      {stop_reason !== null && (
        <div class={status === "failed" ? "notice bad" : "notice warn"}>
          <p>
            {stop_reason.agent !== null && `${shownText(stop_reason.agent)}: `}
            {shownText(stop_reason.message)}
          </p>
          <Lines lines={waits} />
          {next !== null && !control && (
            <p class="dim">
              To continue in a terminal: <code>{shownText(next)}</code>
            </p>
          )}
        </div>
      )}
      {(status === "crashed" || status === "held") && (
        <div class="notice bad">
          <p>
            {status === "crashed"
              ? "The process of this run has ended unexpectedly. All completed steps are saved. Resume the run to continue."
              : `The run is locked by process ${String(held_by?.pid ?? "")} on ${shownText(held_by?.host ?? "another host")}. This server cannot check whether that process is alive.`}
          </p>
        </div>
      )}
    </>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </>
  );
}

function Controls({
  overview,
  actions,
}: {
  readonly overview: OverviewJson;
  readonly actions: ActionState;
}) {
  const [budgetText, setBudgetText] = useState("");
  const [stepsText, setStepsText] = useState<string | null>(null);
  const { stop, resume } = allowedActions(overview.status);
  if (!actions.control) return null;
  const needs = overview.resume_needs;
  const steps = Number(stepsText ?? needs.max_steps ?? 0);
  const hasSteps = needs.max_steps === null || (Number.isInteger(steps) && steps > overview.steps);
  const waits =
    overview.wait !== null || overview.agents.some(({ waits_for }) => waits_for?.for === "retry");
  const add = Number(budgetText);
  return (
    <div class="row push">
      {stop && waits && (
        <button type="button" disabled={actions.busy} onClick={() => void actions.run("retry", {})}>
          Retry now
        </button>
      )}
      {stop && (
        <button
          type="button"
          class="danger"
          disabled={actions.busy}
          onClick={() => void actions.run("stop", {})}
        >
          Stop
        </button>
      )}
      {resume && needs.max_steps !== null && (
        <label class="row">
          <span>Max steps</span>
          <input
            type="number"
            min={overview.steps + 1}
            step="1"
            size={6}
            value={stepsText ?? String(needs.max_steps)}
            onInput={(event) => {
              setStepsText(event.currentTarget.value);
            }}
          />
        </label>
      )}
      {resume && needs.budget && (
        <label class="row">
          <span>Add budget $</span>
          <input
            type="number"
            min="0"
            step="any"
            size={6}
            value={budgetText}
            onInput={(event) => {
              setBudgetText(event.currentTarget.value);
            }}
          />
        </label>
      )}
      {resume && (
        <button
          type="button"
          class="main"
          disabled={actions.busy || (needs.budget && !(add > 0)) || !hasSteps}
          onClick={() => {
            void actions.run("resume", {
              ...(needs.budget ? { add_budget_usd: add } : {}),
              ...(needs.max_steps === null ? {} : { max_steps: steps }),
              ...(needs.wait ? { wait: true } : {}),
            });
            setBudgetText("");
            setStepsText(null);
          }}
        >
          {needs.wait ? "Resume and wait" : "Resume"}
        </button>
      )}
    </div>
  );
}

/** The label of the button that ends the delays of these agents. */
export function endDelayLabel(count: number): string {
  return `End the delay of ${counted(count, "agent")}`;
}
