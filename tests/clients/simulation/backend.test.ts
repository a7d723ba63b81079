import { describe, expect, it } from "vitest";
import { simulatedBackend } from "../../../src/clients/simulation/backend.ts";
import { parseSimulation } from "../../../src/clients/simulation/script.ts";
import type { Invocation } from "../../../src/engine/ports/backend.ts";
import type { StepListener, StepRecorder } from "../../../src/engine/ports/step-events.ts";
import { charge } from "../../../src/machine/spend/ledger.ts";
import { pause } from "../../../src/process/settles-within.ts";
import { ANSWER, describeBackend, invocation, type Scenario } from "../../contracts/backend.ts";
import { cancellation } from "../../support/cancellation.ts";

const FILE = "/flow/flow.sim.yaml";

/** A backend with these lines below `states:`, and its reports and sleeps in order. */
function simulated(lines: string, now = () => 0) {
  const calls: string[] = [];
  const listener: StepListener = {
    accepted: () => void calls.push("accepted"),
    spending: () => undefined,
    message: (text) => void calls.push(`message ${text}`),
    output: () => undefined,
    tool: () => undefined,
    notice: () => undefined,
    warning: () => undefined,
  };
  const recorded: string[] = [];
  const recorder: StepRecorder = {
    prompt: () => undefined,
    line: (line) => void recorded.push(line),
    stdout: () => undefined,
    stderr: () => undefined,
    meta: () => undefined,
  };
  const stop = cancellation();
  let duringSleep = (): void => undefined;
  const backend = simulatedBackend(
    parseSimulation(FILE, `states:\n${lines}`),
    (ms) => {
      calls.push(`sleep ${String(ms)}`);
      duringSleep();
      return Promise.resolve();
    },
    now,
  );
  return {
    calls,
    recorded,
    stop,
    whileSleeping: (act: () => void) => {
      duringSleep = act;
    },
    invoke: (changes: Partial<Invocation> = {}) =>
      backend.invoke({ ...CALL, ...changes }, stop, listener, recorder),
  };
}

const CALL: Invocation = {
  prompt: "Make a plan.",
  disarmed: false,
  session: { mode: "fresh", id: "s1" },
  cwd: "/repo",
  model: "haiku",
  effort: null,
  ...{ level: "edit", allow: [], deny: [] },
  tools: null,
  allowedTools: null,
  disallowedTools: null,
  deniedPaths: [],
  sandbox: null,
  grants: [],
  fallbackModel: null,
  maxTurns: null,
  maxBudgetMicroUsd: null,
  environment: { kind: "prompt", pass: null, set: {}, secret: [] },
  env: {},
  token: "t",
  timeoutMs: 0,
  toolTimeoutMs: 0,
  deadline: null,
  state: "PLAN.md",
  number: 0,
  variables: {},
};

const SCENARIOS: { readonly [S in Scenario]: string } = {
  answers: `{ reply: ${JSON.stringify(ANSWER)}, cost: 0.01, times: always }`,
  hangs: "{ reply: x, delay: 1h }",
  fails: "{ fail: crash }",
  capped: `{ reply: ${JSON.stringify(ANSWER)}, capped: true }`,
};

describeBackend("the simulation", (scenario) => {
  const simulation = parseSimulation(FILE, `states:\n  PLAN: [${SCENARIOS[scenario]}]`);
  const backend = simulatedBackend(simulation, pause);
  return Promise.resolve({ backend, call: invocation, close: () => Promise.resolve() });
});

describe("simulatedBackend", () => {
  it("answers with the reply whose number the call carries, in the call's session", async () => {
    const { invoke } = simulated("  PLAN: [{ reply: one }, { reply: two, times: 2 }]");

    const texts = [];
    for (const number of [0, 1, 2, 0]) {
      const { kind, session, ...rest } = await invoke({ number });
      texts.push([kind, session, "text" in rest ? rest.text : null]);
    }

    expect(texts).toEqual([
      ["reply", "s1", "one"],
      ["reply", "s1", "two"],
      ["reply", "s1", "two"],
      ["reply", "s1", "one"],
    ]);
  });

  it("fills placeholders of a reply that have a value", async () => {
    const { invoke } = simulated('  PLAN: [{ reply: "<result>{{item}} {{ none }}</result>" }]');

    const reply = await invoke({ variables: { item: "{{none}} is mine" } });

    expect(reply).toMatchObject({ text: "<result>{{none}} is mine {{ none }}</result>" });
  });

  it("has the cost of the reply, independent of the session", async () => {
    const { invoke } = simulated("  PLAN: [{ reply: one, cost: 0.03 }]");

    const { spend } = await invoke();

    expect(spend).toMatchObject({ costMicroUsd: 30_000, model: "haiku", version: null });
    expect(charge(spend, 20_000, {})).toMatchObject({
      costMicroUsd: 30_000,
      estimatedMicroUsd: 0,
    });
  });

  it("accepts the prompt before the delay, and replies after it", async () => {
    const { calls, invoke } = simulated('  PLAN: [{ reply: "first line\\nsecond", delay: 2s }]');

    await invoke();

    expect(calls).toEqual(["accepted", "sleep 2000", "message first line\nsecond"]);
  });

  it("sends no message for an empty reply", async () => {
    const { calls, invoke } = simulated('  PLAN: [{ reply: "" }]');

    expect(await invoke()).toMatchObject({ kind: "reply", text: null });
    expect(calls).toEqual(["accepted"]);
  });

  it("passes on denied tools and the end by the share of the budget", async () => {
    const { invoke } = simulated(
      "  PLAN: [{ reply: so far, capped: true, denied: [{ tool: Bash, input: ls }] }]",
    );

    expect(await invoke()).toMatchObject({
      kind: "reply",
      text: "so far",
      capped: true,
      denials: [{ tool: "Bash", input: "ls" }],
    });
  });

  it.each([
    ["crash", "s1", ["accepted"]],
    ["outage", null, []],
    ["limit", null, []],
    ["deterministic", null, []],
  ] as const)("fails as %s where the script says so", async (kind, session, said) => {
    const { calls, invoke } = simulated(`  PLAN: [{ fail: ${kind}, message: It is gone. }]`);

    expect(await invoke()).toMatchObject({
      kind: "failure",
      class: kind,
      message: "It is gone.",
      session,
      exitCode: 1,
    });
    expect(calls).toEqual(said);
  });

  it("has the cost of the file for a failure", async () => {
    const { invoke } = simulated("  PLAN: [{ fail: crash }, { fail: crash, cost: 0.05 }]");

    const costs = [await invoke({ number: 0 }), await invoke({ number: 1 })].map(({ spend }) =>
      charge(spend, 0, {}),
    );

    expect(costs).toMatchObject([
      { costMicroUsd: 0, estimatedMicroUsd: 0 },
      { costMicroUsd: 50_000, estimatedMicroUsd: 0 },
    ]);
  });

  it("fails permanently when no reply is left, and names the place to add one", async () => {
    const { calls, invoke } = simulated("  A: [{ reply: x }]\n  PLAN: [{ reply: x, times: 2 }]");

    const reply = await invoke({ number: 2 });

    expect(reply).toMatchObject({ kind: "failure", class: "deterministic", session: null });
    expect(reply).toMatchObject({
      message: "The simulation has 2 replies for PLAN.md, and this was call number 3.",
      exitCode: null,
    });
    expect("hint" in reply ? reply.hint : null).toContain(`${FILE}:3`);
    expect(calls).toEqual([]);
  });

  it("fails for good where a state has no replies, and names the nearest that has", async () => {
    const { invoke } = simulated("  PLANS: [{ reply: x }]");

    const reply = await invoke();

    expect(reply).toMatchObject({
      class: "deterministic",
      message: "The simulation has no replies for PLAN.md.",
    });
    expect("hint" in reply ? reply.hint : null).toContain("PLANS.md");
    expect("hint" in reply ? reply.hint : null).toContain(FILE);
  });

  it.each(["interruptNow", "killNow"] as const)(
    "ends at once when it is stopped by %s while it waits",
    async (how) => {
      const { calls, invoke, stop, whileSleeping } = simulated("  PLAN: [{ reply: x, delay: 1h }]");
      whileSleeping(() => {
        stop[how]();
      });

      const reply = await invoke();

      expect(reply).toMatchObject({ kind: "failure", class: "cancelled", session: "s1" });
      expect(charge(reply.spend, 0, {})).toMatchObject({ costMicroUsd: 0 });
      expect(calls).toEqual(["accepted", "sleep 3600000"]);
    },
  );

  it("is cancelled, and costs nothing, when it was stopped before it began", async () => {
    const { invoke, stop } = simulated("  PLAN: [{ reply: x }]");
    stop.interruptNow();

    expect(await invoke()).toMatchObject({ kind: "failure", class: "cancelled" });
  });

  it("is a client that hangs when it is silent for longer than the run allows", async () => {
    const { calls, invoke } = simulated("  PLAN: [{ reply: x, delay: 20m }]");

    const reply = await invoke({ timeoutMs: 60_000 });

    expect(reply).toMatchObject({ kind: "failure", class: "crash", session: "s1" });
    expect(calls).toEqual(["accepted", "sleep 60000"]);
  });

  it("runs into the state's own timeout", async () => {
    const { calls, invoke } = simulated("  PLAN: [{ reply: x, delay: 20m }]", () => 5_000);

    const reply = await invoke({ deadline: { at: 35_000, limitMs: 30_000 }, timeoutMs: 60_000 });

    expect(reply).toMatchObject({
      kind: "failure",
      class: "deterministic",
      message: "PLAN.md did not end within its timeout of 30s and was stopped.",
    });
    expect(calls).toEqual(["accepted", "sleep 30000"]);
  });

  it("leaves one line of JSON for the debug files", async () => {
    const { invoke, recorded } = simulated('  PLAN: [{ reply: "two\\nlines" }]');

    await invoke();

    expect(recorded.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: "simulated", state: "PLAN.md", number: 0, kind: "reply", result: "two\nlines" },
    ]);
  });
});
