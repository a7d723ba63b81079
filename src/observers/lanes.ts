import type { AgentId } from "../core/machine/agent.ts";
import type { LoggedStep } from "./logged-steps.ts";

/** An agent in time: one behind the other, what ran for it. */
export interface Lane {
  readonly agent: AgentId;
  readonly spans: readonly Span[];
  /** Time in which something ran for it, ms. */
  readonly workedMs: number;
}

/** One process of an agent. */
export interface Span {
  readonly step: number;
  readonly state: string;
  readonly kind: "prompt" | "script";
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  /** `cut-off`: raymond has died with it, and when it ended nobody knows. */
  readonly end: "ok" | "failed" | "running" | "cut-off";
}

/** The lanes of these steps, in the order in which the agents began; `running` are the numbers of those that run now. */
export function lanesOf(
  steps: readonly LoggedStep[],
  running: ReadonlySet<number>,
  now: number,
): readonly Lane[] {
  const spans = new Map<AgentId, Span[]>();
  for (const step of steps) {
    const { agent } = step.started.event;
    const span = spanOf(step, running, now);
    const known = spans.get(agent);
    if (known === undefined) spans.set(agent, [span]);
    else known.push(span);
  }
  return [...spans].map(([agent, of]) => ({
    agent,
    spans: of,
    workedMs: of.reduce((sum, { from, to }) => sum + to - from, 0),
  }));
}

function spanOf({ started, ended }: LoggedStep, running: ReadonlySet<number>, now: number): Span {
  const { process: step, state, kind } = started.event;
  const span = { step, state, kind, from: started.at };
  if (ended !== null) {
    // A clock that was set back makes no span that ends before it begins.
    const to = Math.max(started.at, ended.at);
    return { ...span, to, end: ended.event.ok ? "ok" : "failed" };
  }
  if (running.has(step)) return { ...span, to: Math.max(started.at, now), end: "running" };
  return { ...span, to: started.at, end: "cut-off" };
}
