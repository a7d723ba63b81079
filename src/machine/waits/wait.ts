import { fullName } from "../../language/protocol/address.ts";
import { ofBackend, waitsByBackend, withWait } from "../backends/backend-waits.ts";
import { chooseBackend, waitRefusal } from "../backends/choose-backend.ts";
import type { Decision } from "../decide/decision.ts";
import { isRetrying, READY, type Running, waitFor } from "../model/activity.ts";
import type { Agent, Outage } from "../model/agent.ts";
import type { RunUpdate } from "../model/event.ts";
import type { StepOutcome } from "../model/outcome.ts";
import { replaceAgent, updateAgent } from "../model/roster.ts";
import type { RunState, Wait } from "../model/run-state.ts";
import { stopReason, stopRun } from "../moves/stop.ts";

const MINUTE = 60_000;

/** Retry intervals if the reset of a usage limit is unknown (docs/budgets.md, "Usage limits"). */
const UNKNOWN_RESET_MS = [5 * MINUTE, 10 * MINUTE, 20 * MINUTE] as const;
const LONGEST_PAUSE_MS = 30 * MINUTE;

/** The first pause if the reported reset is in the past. */
const PASSED_RESET_MS = 30_000;

/** A later reset is considered invalid. */
const FARTHEST_RESET_MS = 366 * 24 * 60 * MINUTE;

/** First back-off of an outage, and the longest, ms (docs/budgets.md, "Outages"). */
const OUTAGE_FIRST_MS = 5_000;
const OUTAGE_LONGEST_MS = 5 * MINUTE;

/**
 * Blocks all prompt steps of the coding agent `backend` until its usage limit ends; scripts and other
 * coding agents continue. With --no-wait the run stops as paused, unless another coding agent can run
 * the step.
 */
export function waitForLimit(
  run: RunState,
  agent: Agent,
  { until: reset, message }: Extract<Decision, { kind: "limit" }>,
  {
    at,
    process,
    backend,
  }: { readonly at: number; readonly process: number; readonly backend: string },
): RunUpdate {
  const earlier = run.waits[backend] ?? null;
  // A step that started before the wait adds no information.
  const again = earlier !== null && process > earlier.process;
  const tries = (earlier?.tries ?? 0) + (earlier === null || again ? 1 : 0);
  const until =
    earlier === null || again
      ? nextLimitRetryAt(reset, at, tries)
      : Math.max(earlier.until, knownReset(reset, at) ?? 0);
  const wait: Wait = {
    class: "limit",
    until,
    since: Math.min(earlier?.since ?? at, at),
    tries,
    process: run.processes,
    message,
  };
  const cause = { kind: "limit", message } as const;
  // The reset is absolute: clock changes do not move it.
  const activity = { type: "waiting", since: null, until, for: cause } as const;
  const known = withWait(run, backend, wait);
  const isBridged = chooseBackend(known, agent, at).backend !== backend;
  const limited = replaceAgent(known, isBridged ? agent : { ...agent, activity });
  const refusal = isBridged ? null : waitRefusal(run, wait, until - wait.since);
  if (refusal !== null) return stopRun(limited, stopReason("limit", refusal, agent));
  if (until === earlier?.until) return [limited, []];
  const event = { class: "limit", until, leftMs: until - at, message } as const;
  return [limited, [{ type: "run.waiting", ...event, ...ofBackend(run, backend) }]];
}

/** The next retry of a usage limit after `tries` in a row, epoch ms: its reset if known. */
export function nextLimitRetryAt(reset: number | null, at: number, tries: number): number {
  const passed = reset !== null && reset <= at && tries === 1;
  const pause = passed ? PASSED_RESET_MS : (UNKNOWN_RESET_MS[tries - 1] ?? LONGEST_PAUSE_MS);
  return knownReset(reset, at) ?? at + pause;
}

function knownReset(reset: number | null, at: number): number | null {
  return reset !== null && reset > at && reset - at <= FARTHEST_RESET_MS ? reset : null;
}

export function reachedModel(outcome: StepOutcome): boolean {
  return (
    outcome.kind !== "failure" || (outcome.class === "deterministic" && outcome.exitCode !== null)
  );
}

/** Retries now: ends backoffs and usage limits, with one probe first. Delays and joins continue. */
export function retryNow(run: RunState, at: number): RunUpdate {
  const agents = run.agents.map((agent) =>
    isRetrying(agent) ? { ...agent, activity: READY } : agent,
  );
  const woken = waitsByBackend(run).reduce(
    (now, { backend, wait }) => withWait(now, backend, { ...wait, until: at }),
    run,
  );
  return [{ ...woken, agents }, []];
}

/** Ends the wait of a coding agent after a later prompt step reached its model. */
export function endWaitAfter(
  run: RunState,
  { kind, process, backend }: Running,
  outcome: StepOutcome,
): RunUpdate {
  const wait = backend === null ? undefined : run.waits[backend];
  const through = kind === "prompt" && reachedModel(outcome);
  if (wait === undefined || backend === null || process <= wait.process || !through)
    return [run, []];
  return [
    withWait(run, backend, null),
    [{ type: "run.woke", class: wait.class, ...ofBackend(run, backend) }],
  ];
}

/** Retries with growing intervals until `--max-outage` has passed; then the run stops as paused. */
export function waitForOutage(
  run: RunState,
  agent: Agent,
  { failure: { message } }: Extract<Decision, { kind: "retry" }>,
  { at, dice, backend }: { readonly at: number; readonly dice: number; readonly backend: string },
): RunUpdate {
  const outage = nextOutage(agent, backend, at);
  const { since, tries } = outage;
  const tried: Agent = { ...agent, outage };
  if (!run.settings.wait || at - since >= run.settings.maxOutageMs) {
    const reason = stopReason("outage", message, agent);
    return stopRun(replaceAgent(run, { ...tried, outage: null }), reason);
  }
  const longest = Math.min(OUTAGE_LONGEST_MS, OUTAGE_FIRST_MS * 2 ** (tries - 1));
  const delayMs = Math.round(longest * (0.5 + dice / 2));
  const activity = waitFor(delayMs, at, { kind: "retry", class: "outage", tries });
  const event = {
    agent: agent.id,
    state: fullName(agent),
    problem: message,
    retry: tries,
    delayMs,
  };
  return updateAgent(
    run,
    { ...tried, activity },
    { type: "agent.retrying", class: "outage", ...event },
  );
}

/** `max_outage` counts from the first failure, `fallback_after` from that of the same coding agent. */
function nextOutage({ outage }: Agent, backend: string, at: number): Outage {
  if (outage === null) return { since: at, tries: 1, backend, from: at };
  const tries = outage.tries + 1;
  return outage.backend === backend
    ? { ...outage, tries }
    : { ...outage, tries, backend, from: at };
}
