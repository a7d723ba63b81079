import { formatDuration } from "../duration.ts";
import { fullName } from "../protocol/address.ts";
import { isRetrying, READY, type Running, waitFor } from "./activity.ts";
import type { Agent } from "./agent.ts";
import type { Decision } from "./decision.ts";
import type { Advanced } from "./event.ts";
import type { StepOutcome } from "./outcome.ts";
import { replaceAgent } from "./roster.ts";
import type { RunState, Wait } from "./run-state.ts";
import { stopReason, stopRun } from "./stop.ts";

const MINUTE = 60_000;

/**
 * Where the reset of a usage limit is unknown, ms between tries
 * (docs/budgets.md, "Usage limits").
 */
const UNKNOWN_RESET_MS = [5 * MINUTE, 10 * MINUTE, 20 * MINUTE] as const;
const LONGEST_PAUSE_MS = 30 * MINUTE;

/** The first pause where the reset has passed when it is heard of: by slow news, or by another clock. */
const PASSED_RESET_MS = 30_000;

/** A reset that is said to be farther away is a garbled one, ms: nobody would want to wait for it. */
const FARTHEST_RESET_MS = 366 * 24 * 60 * MINUTE;

/** First back-off of an outage, and the longest, ms (docs/budgets.md, "Usage limits"). */
const OUTAGE_FIRST_MS = 5_000;
const OUTAGE_LONGEST_MS = 5 * MINUTE;

/**
 * A usage limit stands in front of every prompt step of the run: none starts
 * before `until`, scripts go on. Without waiting the run stops as paused.
 */
export function waitForLimit(
  run: RunState,
  agent: Agent,
  { until: reset, message }: Extract<Decision, { kind: "limit" }>,
  { at, process }: { readonly at: number; readonly process: number },
): Advanced {
  const earlier = run.wait;
  // A step that began before the wait only says again what is known.
  const again = earlier !== null && process > earlier.process;
  const tries = (earlier?.tries ?? 0) + (earlier === null || again ? 1 : 0);
  const until =
    earlier === null || again
      ? triedAgainAt(reset, at, tries)
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
  // The reset of a limit is a moment, whatever this clock says.
  const activity = { type: "waiting", since: null, until, for: cause } as const;
  const limited: RunState = { ...replaceAgent(run, { ...agent, activity }), wait };
  const refusal = refuseToWait(run, wait, until - wait.since);
  if (refusal !== null) return stopRun(limited, stopReason("limit", refusal, agent));
  if (until === earlier?.until) return [limited, []];
  return [limited, [{ type: "run.waiting", class: "limit", until, leftMs: until - at, message }]];
}

/** When a usage limit that was met so often in a row is tried again: at its reset, where that was said. All epoch ms. */
export function triedAgainAt(reset: number | null, at: number, tries: number): number {
  const passed = reset !== null && reset <= at && tries === 1;
  const pause = passed ? PASSED_RESET_MS : (UNKNOWN_RESET_MS[tries - 1] ?? LONGEST_PAUSE_MS);
  return knownReset(reset, at) ?? at + pause;
}

function knownReset(reset: number | null, at: number): number | null {
  return reset !== null && reset > at && reset - at <= FARTHEST_RESET_MS ? reset : null;
}

/** Whether a prompt step got through to the model; one that never ran did not. */
export function gotThrough(outcome: StepOutcome): boolean {
  return (
    outcome.kind !== "failure" || (outcome.class === "deterministic" && outcome.exitCode !== null)
  );
}

/** Why a run does not wait for so long, by its settings: what stops it; null where it waits. */
export function refuseToWait(
  { settings: { wait, maxWaitMs } }: RunState,
  { message }: Wait,
  ms: number,
): string | null {
  if (!wait) return message;
  if (maxWaitMs === 0 || ms <= maxWaitMs) return null;
  return `${message} The wait would take ${formatDuration(ms)}, and --max-wait allows ${formatDuration(maxWaitMs)}.`;
}

/**
 * Ends all waiting for another try now: what waited tries again at once, after a
 * usage limit one agent first. Delays and joins are the workflow's own
 * wish, and go on.
 */
export function retryNow(run: RunState, at: number): Advanced {
  const agents = run.agents.map((agent) => {
    return isRetrying(agent) ? { ...agent, activity: READY } : agent;
  });
  return [{ ...run, agents, wait: run.wait && { ...run.wait, until: at } }, []];
}

/** The wait is over when a prompt step that began after it got through. */
export function wakeAfter(
  run: RunState,
  { kind, process }: Running,
  outcome: StepOutcome,
): Advanced {
  const { wait } = run;
  const through = kind === "prompt" && gotThrough(outcome);
  if (wait === null || process <= wait.process || !through) return [run, []];
  return [{ ...run, wait: null }, [{ type: "run.woke", class: wait.class }]];
}

/**
 * An outage holds up the agent that met it: it tries again with growing
 * intervals until `--max-outage` has passed, and then the run stops as paused.
 */
export function waitOutOutage(
  run: RunState,
  agent: Agent,
  { failure: { message } }: Extract<Decision, { kind: "retry" }>,
  at: number,
  dice: number,
): Advanced {
  const { id } = agent;
  const since = agent.outage?.since ?? at;
  const tries = (agent.outage?.tries ?? 0) + 1;
  const tried: Agent = { ...agent, outage: { since, tries } };
  if (!run.settings.wait || at - since >= run.settings.maxOutageMs) {
    const reason = stopReason("outage", message, agent);
    return stopRun(replaceAgent(run, { ...tried, outage: null }), reason);
  }
  const longest = Math.min(OUTAGE_LONGEST_MS, OUTAGE_FIRST_MS * 2 ** (tries - 1));
  const delayMs = Math.round(longest * (0.5 + dice / 2));
  const activity = waitFor(delayMs, at, { kind: "retry", class: "outage", tries });
  return [
    replaceAgent(run, { ...tried, activity }),
    [
      {
        type: "agent.retrying",
        agent: id,
        state: fullName(agent),
        class: "outage",
        problem: message,
        retry: tries,
        delayMs,
      },
    ],
  ];
}
