import { useState } from "preact/hooks";
import { counted } from "../../../core/counted.ts";
import { formatDuration } from "../../../core/duration.ts";
import { formatUsd, toMicroUsd } from "../../../core/money.ts";
import { formatTokens } from "../../../core/tokens.ts";
import { localMoment, localTime } from "../../../observers/local-time.ts";
import type { PlaceJson } from "../../../runs/json/shapes.ts";
import type { OverviewJson } from "../../api.ts";
import { useHeadingFocus } from "../navigation.ts";
import { printRoute, runRoute } from "../route.ts";
import { baseName, queueWords } from "../run-rows.ts";
import { shareOf } from "../share.ts";
import { shownText } from "../shown-text.ts";
import { possibleIn } from "../status-look.ts";
import type { Doer } from "../use-doer.ts";
import { waitLines } from "../wait-lines.ts";
import { Problem } from "./problem.tsx";
import { ShareBar } from "./share-bar.tsx";
import { StatusBadge } from "./status.tsx";

interface Props {
  readonly overview: OverviewJson;
  readonly doer: Doer;
  readonly now: number;
}

/** What is to be seen of a run in the first seconds: how it stands, what it has cost, what can be done. */
export function RunHead({ overview, doer, now }: Props) {
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
        <Controls overview={overview} doer={doer} />
      </header>
      <div class="body">
        <Facts overview={overview} now={now} />
      </div>
      <Reasons overview={overview} control={doer.control} now={now} />
      <div aria-live="polite">
        {doer.said !== null && <p class="body good">{shownText(doer.said)}</p>}
        {doer.problem !== null && <Problem problem={doer.problem} />}
      </div>
    </section>
  );
}

function Facts({ overview, now }: { readonly overview: OverviewJson; readonly now: number }) {
  const { settings, total_cost_usd, totals, started_at, steps, agents, worked_s, origin, folder } =
    overview;
  const { place } = overview;
  const attempts = overview.processes - (origin?.after ?? 0);
  const began = Date.parse(started_at);
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
        <dd>{aliveWords(living, agents.length - living)}</dd>
      </div>
      <div>
        <dt>Started</dt>
        <dd title={localTime(began)}>{localMoment(began, now)}</dd>
      </div>
      {place !== null && (
        <div>
          <dt>Machine</dt>
          <dd>
            {place.home === null ? "none yet" : shownText(place.home)}
            <div class="dim">{placeDetails(place)}</div>
          </dd>
        </div>
      )}
      {origin != null && (
        <div>
          <dt>Begun from</dt>
          <dd>
            before step {origin.step} of{" "}
            <a href={printRoute(runRoute(folder, origin.run, origin.step))}>
              {shownText(origin.run)}
            </a>
            {origin.cost_usd > 0 && `, which had spent ${formatUsd(toMicroUsd(origin.cost_usd))}`}
          </dd>
        </div>
      )}
      {worked_s !== null && (
        <div>
          <dt>At work</dt>
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

function aliveWords(living: number, ended: number): string {
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

/** Why the run makes no progress, until when, and what to do. */
function Reasons({ overview, control, now }: ReasonsProps) {
  const { stop_reason, status, next, held_up, held_by, place, away } = overview;
  const waits = waitLines(overview, now);
  const notNow = away === null ? null : <Problem problem={away} isStale />;
  if (status === "completed") return notNow;
  return (
    <>
      {notNow}
      {status === "queued" && place !== null && held_up.length === 0 && (
        <div class="notice warn">
          <p>Waits {queueWords(place)}.</p>
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
              In a terminal: <code>{shownText(next)}</code>
            </p>
          )}
        </div>
      )}
      {(status === "crashed" || status === "held") && (
        <div class="notice bad">
          <p>
            {status === "crashed"
              ? "The process of this run is gone. No recorded step is lost: resume it to continue."
              : `The run is held by process ${String(held_by?.pid ?? "")} on ${shownText(held_by?.host ?? "another host")}, which cannot be seen from here.`}
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

function Controls({ overview, doer }: { readonly overview: OverviewJson; readonly doer: Doer }) {
  const [more, setMore] = useState("");
  const [wantedSteps, setWantedSteps] = useState<string | null>(null);
  const { stop, resume } = possibleIn(overview.status);
  if (!doer.control) return null;
  const needs = overview.resume_needs;
  const steps = Number(wantedSteps ?? needs.max_steps ?? 0);
  const hasSteps = needs.max_steps === null || (Number.isInteger(steps) && steps > overview.steps);
  const waits =
    overview.wait !== null || overview.agents.some(({ waits_for }) => waits_for?.for === "retry");
  const add = Number(more);
  return (
    <div class="row push">
      {stop && waits && (
        <button type="button" disabled={doer.busy} onClick={() => void doer.act("retry-now", {})}>
          Retry now
        </button>
      )}
      {stop && (
        <button
          type="button"
          class="danger"
          disabled={doer.busy}
          onClick={() => void doer.act("stop", {})}
        >
          Stop
        </button>
      )}
      {resume && needs.max_steps !== null && (
        <label class="row">
          <span>max steps</span>
          <input
            type="number"
            min={overview.steps + 1}
            step="1"
            size={6}
            value={wantedSteps ?? String(needs.max_steps)}
            onInput={(event) => {
              setWantedSteps(event.currentTarget.value);
            }}
          />
        </label>
      )}
      {resume && needs.budget && (
        <label class="row">
          <span>add $</span>
          <input
            type="number"
            min="0"
            step="any"
            size={6}
            value={more}
            onInput={(event) => {
              setMore(event.currentTarget.value);
            }}
          />
        </label>
      )}
      {resume && (
        <button
          type="button"
          class="main"
          disabled={doer.busy || (needs.budget && !(add > 0)) || !hasSteps}
          onClick={() => {
            void doer.act("resume", {
              ...(needs.budget ? { add_budget_usd: add } : {}),
              ...(needs.max_steps === null ? {} : { max_steps: steps }),
              ...(needs.wait ? { wait: true } : {}),
            });
            setMore("");
            setWantedSteps(null);
          }}
        >
          {needs.wait ? "Resume and wait" : "Resume"}
        </button>
      )}
    </div>
  );
}

/** The label of the button that ends the delays of these agents. */
export function wakeWords(count: number): string {
  return `End the delay of ${counted(count, "agent")}`;
}
