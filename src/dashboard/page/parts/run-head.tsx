import { useState } from "preact/hooks";
import { deniedWords } from "../../../console/allow-flag.ts";
import { localMoment, localTime } from "../../../console/local-time.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import { formatTokens } from "../../../language/basics/tokens.ts";
import { printable } from "../../../log/printable.ts";
import { sumOfDenials } from "../../../machine/model/denial.ts";
import type { OverviewJson } from "../../api.ts";
import { useHeadingFocus, useNow } from "../hooks/browser.ts";
import type { ActionState } from "../hooks/use-actions.ts";
import { waitLines } from "../model/agents.ts";
import { canResume, canStop, STATUS_BADGES } from "../model/badge.ts";
import { baseName, queueReason } from "../model/runs.ts";
import { printRoute, runRoute } from "../route.ts";
import { ActionButton, Fact, Field, Problem, ShareBar, StatusBadge, withValue } from "./basics.tsx";

interface Props {
  readonly overview: OverviewJson;
  readonly actions: ActionState;
}

export function RunHead({ overview, actions }: Props) {
  const { workflow, workflow_id, status, simulated } = overview;
  const heading = useHeadingFocus();
  return (
    <section class="panel" aria-label="Run">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {baseName(workflow.path)}
        </h1>
        <StatusBadge badge={STATUS_BADGES[status]} />
        {simulated && <span class="status">simulated</span>}
        <span class="dim mono">{workflow_id}</span>
        {actions.control && <Controls overview={overview} actions={actions} />}
      </header>
      <dl class="body facts">
        <Usage overview={overview} />
        <Origin overview={overview} />
      </dl>
      <Reasons overview={overview} control={actions.control} />
      <Denied overview={overview} />
      <div aria-live="polite">
        {actions.message !== null && <p class="body good">{actions.message}</p>}
        {actions.problem !== null && <Problem problem={actions.problem} />}
      </div>
    </section>
  );
}

/** Cost, steps, agents, time and tokens. */
function Usage({ overview }: { readonly overview: OverviewJson }) {
  const { settings, totals, steps, agents, worked_s, origin, processes } = overview;
  const { budget_usd: budget, max_steps: maxSteps } = settings;
  const { input, output, cache_read, cache_write } = totals.tokens;
  const attempts = processes - (origin?.after ?? 0);
  const spent = overview.total_cost_usd + totals.estimated_usd;
  const ended = agents.filter((agent) => agent.ended).length;
  const living = agents.length - ended;
  const counts = [
    ...(living > 0 ? [ended > 0 ? `${String(living)} alive` : String(living)] : []),
    ...(ended > 0 ? [`${String(ended)} ended`] : []),
  ];
  return (
    <>
      <Fact name={totals.estimated_usd > 0 ? "Cost (partly estimated)" : "Cost"}>
        <strong>{usd(spent)}</strong>
        {budget !== null && ` of ${usd(budget)}`}
        <ShareBar used={spent} max={budget} />
      </Fact>
      <Fact name="Steps">
        {steps}
        {maxSteps !== null && ` of ${String(maxSteps)}`}
        {attempts > steps && <div class="dim">in {counted(attempts, "attempt")}</div>}
      </Fact>
      <Fact name="Agents">{counts.join(", ") || "0"}</Fact>
      {worked_s !== null && <Fact name="Active time">{formatDuration(worked_s * 1_000)}</Fact>}
      {input + output > 0 && (
        <Fact name="Tokens">
          {formatTokens(input + cache_read + cache_write)} in, {formatTokens(output)} out
        </Fact>
      )}
    </>
  );
}

/** Start, machine, and the original run of a rerun. */
function Origin({ overview }: { readonly overview: OverviewJson }) {
  const { started_at, place, origin, folder } = overview;
  const started = Date.parse(started_at);
  return (
    <>
      <Fact name="Started" title={localTime(started)}>
        {localMoment(started, useNow())}
      </Fact>
      {place !== null && (
        <Fact name="Machine">
          {place.home ?? "not assigned"}
          <div class="dim">
            pool {place.pool}
            {place.account !== null && `, account ${place.account}`}, workspace {place.workspace}
          </div>
        </Fact>
      )}
      {origin != null && (
        <Fact name="Rerun of">
          <a href={printRoute(runRoute(folder, origin.run, origin.step))}>{origin.run}</a>, from
          step {origin.step}
          {origin.cost_usd > 0 && ` (${usd(origin.cost_usd)} already spent there)`}
        </Fact>
      )}
    </>
  );
}

function usd(amount: number): string {
  return formatUsd(toMicroUsd(amount));
}

interface ReasonsProps {
  readonly overview: OverviewJson;
  readonly control: boolean;
}

/** Why the run makes no progress, until when, and how to continue. */
function Reasons({ overview, control }: ReasonsProps) {
  const { stop_reason, status, next, held_up, held_by, place, away } = overview;
  const waits = waitLines(overview, useNow());
  const unavailable = away === null ? null : <Problem problem={away} isStale />;
  if (status === "completed") return unavailable;
  return (
    <>
      {unavailable}
      {status === "queued" && place !== null && held_up.length === 0 && (
        <Notice lines={[`Waiting ${queueReason(place)}.`]} />
      )}
      <Notice lines={held_up.map(({ agent, message }) => `${agent ?? "The run"} ${message}`)} />
      {stop_reason === null ? (
        <Notice lines={waits} />
      ) : (
        <div class={status === "failed" ? "notice bad" : "notice warn"}>
          <p>
            {stop_reason.agent !== null && `${stop_reason.agent}: `}
            {stop_reason.message}
          </p>
          {waits.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {next !== null && !control && (
            <p class="dim">
              To continue in a terminal: <code>{next}</code>
            </p>
          )}
        </div>
      )}
      {status === "crashed" && (
        <p class="notice bad">
          The process of this run has ended unexpectedly. All completed steps are saved. Resume the
          run to continue.
        </p>
      )}
      {status === "held" && (
        <p class="notice bad">
          The run is locked by process {held_by?.pid} on {held_by?.host ?? "another host"}. This
          server cannot check whether that process is alive.
        </p>
      )}
    </>
  );
}

/** Denied tool calls of the run, and the flag that allows them. */
function Denied({ overview: { denied, allow } }: { readonly overview: OverviewJson }) {
  if (denied.length === 0) return null;
  const sum = counted(sumOfDenials(denied), "tool call was", "tool calls were");
  return (
    <details class="notice warn">
      <summary>{sum} denied</summary>
      {denied.map((call) => (
        <p key={deniedWords(call)} class="mono">
          {printable(deniedWords(call))}
        </p>
      ))}
      {allow !== null && (
        <p>
          To allow them: <code>{allow}</code>
        </p>
      )}
    </details>
  );
}

function Notice({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div class="notice warn">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

function Controls({ overview, actions }: Props) {
  const isStoppable = canStop(overview.status);
  const waits =
    Object.keys(overview.waits).length > 0 ||
    overview.agents.some(({ waits_for }) => waits_for?.for === "retry");
  return (
    <div class="row push">
      {isStoppable && waits && (
        <ActionButton actions={actions} action="retry">
          Retry now
        </ActionButton>
      )}
      {isStoppable && (
        <ActionButton actions={actions} action="stop">
          Stop
        </ActionButton>
      )}
      {canResume(overview.status) && <ResumeForm overview={overview} actions={actions} />}
    </div>
  );
}

/** Asks for what the run needs, or it would stop again immediately. */
function ResumeForm({ overview: { resume_needs: needs, steps }, actions }: Props) {
  const [budget, setBudget] = useState("");
  const [entered, setEntered] = useState<string | null>(null);
  const maxSteps = Number(entered ?? needs.max_steps);
  const isComplete =
    (!needs.budget || Number(budget) > 0) &&
    (needs.max_steps === null || (Number.isInteger(maxSteps) && maxSteps > steps));
  return (
    <>
      {needs.max_steps !== null && (
        <Field label="Max steps" class="row">
          <input
            type="number"
            min={steps + 1}
            value={entered ?? needs.max_steps}
            onInput={withValue(setEntered)}
          />
        </Field>
      )}
      {needs.budget && (
        <Field label="Add budget $" class="row">
          <input type="number" min="0" step="any" value={budget} onInput={withValue(setBudget)} />
        </Field>
      )}
      <button
        type="button"
        class="main"
        disabled={actions.busy || !isComplete}
        onClick={() => {
          setBudget("");
          setEntered(null);
          void actions.run("resume", {
            add_budget_usd: needs.budget ? Number(budget) : undefined,
            max_steps: needs.max_steps === null ? undefined : maxSteps,
            wait: needs.wait || undefined,
          });
        }}
      >
        {needs.wait ? "Resume and wait" : "Resume"}
      </button>
    </>
  );
}
