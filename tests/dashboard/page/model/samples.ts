import type { OverviewAgentJson } from "../../../../src/dashboard/api.ts";
import type { LoggedJson, StepJson } from "../../../../src/inspect/json/shapes.ts";

/** A line of the event log of a run, as the page receives it. */
export function logged(
  seq: number,
  type: string,
  keys: Readonly<Record<string, unknown>> = {},
): LoggedJson {
  return { type, seq, at: new Date(1_790_000_000_000 + seq * 1_000).toISOString(), ...keys };
}

export function started(seq: number, process: number, agent = "main"): LoggedJson {
  return logged(seq, "step.started", { agent, state: "WORK.md", kind: "prompt", process });
}

export function ended(seq: number, process: number, agent = "main"): LoggedJson {
  const sums = { failure: null, cost_usd: 0.25, duration_ms: 4_000 };
  return logged(seq, "step.ended", { agent, state: "WORK.md", kind: "prompt", process, ...sums });
}

export function step(of: Partial<StepJson> & Pick<StepJson, "step">): StepJson {
  return { running: false, started: started(1, of.step), ended: null, after: [], ...of };
}

/** An agent of an overview: by default it is running step 1. */
export function agent(of: Partial<OverviewAgentJson>): OverviewAgentJson {
  return {
    ...{ agent: "main", state: "WORK.md", ended: false, cost_usd: null },
    ...{ waits_for: null, error: null },
    ...{ reported: null, returns_to: [], callers: [], session_id: null, session_dir: null },
    ...{
      context: null,
      open: null,
      backend: null,
      sessions: [],
      does: "running",
      step: 1,
      since: null,
    },
    ...of,
  };
}
