import { expect, it } from "vitest";
import { advance } from "../../../src/machine/advance.ts";
import type { Agent } from "../../../src/machine/model/agent.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { isAtStep, type ResultByHand, targetOf } from "../../../src/machine/moves/set-result.ts";
import { agent } from "../../support/agents.ts";
import { run } from "../../support/runs.ts";

const ACTOR = { user: "jane", host: "build-7", via: "command" } as const;
const FAILED: Agent["activity"] = {
  type: "failed",
  error: { class: "deterministic", message: "no tag", hint: null, state: "START.md" },
};
const CALLER: Agent["stack"] = [
  {
    session: { mode: "resume", id: "s0" },
    returnTo: "BACK.md",
    workflow: null,
    crossed: false,
  },
];

function given(of: Agent, changes: Partial<ResultByHand> = {}): ResultByHand {
  return { agent: of.id, ...targetOf(of), result: "done", reason: null, actor: ACTOR, ...changes };
}

function failedRun(of: Partial<Agent> = {}, changes: Partial<RunState> = {}): RunState {
  const failed = agent({ activity: FAILED, ...of });
  const { message } = (FAILED as Extract<Agent["activity"], { type: "failed" }>).error;
  return run({
    status: "failed",
    stopReason: { class: "deterministic", message, agent: "main", state: "START.md" },
    agents: [failed],
    ...changes,
  });
}

const only = ({ agents: [first] }: RunState): Agent => first ?? agent({});

/** Resumes a run and schedules it once. */
function resumed(before: RunState) {
  const [next] = advance(before, { type: "resumed", given: {}, recalled: {}, reported: 0 });
  return advance(next, { type: "looked", at: 0, sessions: ["s9"] });
}

it("keeps the result of a failed agent until the run is resumed, and then returns it to the caller", () => {
  const before = failedRun({ stack: CALLER });
  const [set, events] = advance(before, { type: "result-set", ...given(only(before)) });
  const [after, moved] = resumed(set);

  expect(set).toMatchObject({ status: "failed", resultsSet: 1, agents: [{ setResult: "done" }] });
  expect(events).toEqual([
    {
      ...{ type: "agent.result-set", agent: "main", state: "START.md" },
      ...{ result: "done", reason: null, actor: ACTOR },
    },
  ]);
  expect(only(after)).toMatchObject({
    ...{ state: "BACK.md", pendingResult: "done", stack: [], setResult: null },
    ...{ session: { mode: "resume", id: "s0" }, activity: { type: "running" } },
  });
  expect(moved.map(({ type }) => type)).toEqual(["agent.moved", "step.started"]);
});

it("ends an agent without callers, and the run with the last agent", () => {
  const before = failedRun();
  const [set] = advance(before, { type: "result-set", ...given(only(before)) });
  const [after, events] = resumed(set);

  expect(after).toMatchObject({ status: "completed", agents: [], results: { main: "done" } });
  expect(events.map(({ type }) => type)).toEqual(["agent.ended", "run.ended"]);
});

it("applies a result once, whatever is repeated", () => {
  const before = failedRun({ stack: CALLER });
  const input = { type: "result-set", ...given(only(before)) } as const;
  const [after] = resumed(advance(before, input)[0]);

  expect(advance(after, input)).toEqual([after, []]);
});

it("ignores a result for another step, an open question, or an open conversation", () => {
  const asking: Agent["activity"] = {
    ...{ type: "waiting", since: null, until: null },
    for: {
      ...{ kind: "answer", number: 1, question: "?", options: null, late: null },
      ...{ from: "START.md", call: 0 },
    },
  };
  for (const [of, changes] of [
    [{}, { state: "OTHER.md" }],
    [{}, { process: 7 }],
    [{}, { agent: "main_x1" }],
    [{ activity: asking }, {}],
    [{ opened: 7 }, {}],
  ] as const) {
    const before = failedRun(of);
    const input = { type: "result-set", ...given(only(before), changes) } as const;
    expect(advance(before, input)).toEqual([before, []]);
  }
  expect(isAtStep(only(failedRun({ opened: 7 })), targetOf(only(failedRun())))).toBe(false);
});
