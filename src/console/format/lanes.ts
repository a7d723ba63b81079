import type { LoggedStep } from "../../log/logged-steps.ts";
import type { AgentId } from "../../machine/model/agent.ts";

/** The processes of an agent on a time line. */
export interface Lane {
  readonly agent: AgentId;
  readonly spans: readonly Span[];
  /** Total run time, ms. */
  readonly workedMs: number;
}

export interface Span {
  readonly step: number;
  readonly state: string;
  readonly kind: "prompt" | "script";
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  /** `cut-off`: raymond died during the step, so its end is unknown. */
  readonly end: "ok" | "failed" | "running" | "cut-off";
}

/** The lanes of these steps, in the order of the first step of each agent. `running`: numbers of the running steps. */
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
    // The clock may have been set back during the step.
    const to = Math.max(started.at, ended.at);
    return { ...span, to, end: ended.event.ok ? "ok" : "failed" };
  }
  if (running.has(step)) return { ...span, to: Math.max(started.at, now), end: "running" };
  return { ...span, to: started.at, end: "cut-off" };
}
