import { describe, expect, it } from "vitest";
import { failure as why } from "../../src/machine/model/failure.ts";
import { plainBackend } from "../support/client/plain-backend.ts";
import { twoAgentRun } from "../support/engine/two-agents.ts";
import { limitUntil } from "../support/outcomes.ts";
import { NOON } from "../support/run-driver.ts";

const HOUR = 3_600_000;

/** Runs to the end, however long it waits. */
async function finish({ begin, clock }: ReturnType<typeof twoAgentRun>) {
  const state = { isOver: false };
  const ending = begin().finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) {
    await Promise.race([ending, clock.someoneSleeps()]);
    clock.advance(30_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return ending;
}
const file = (head: string) => `---\n${head}\n---\nDo it.`;

describe("a workflow with several coding agents", () => {
  const PLAN = {
    "START.md": "Plan it.",
    "CODE.md": file("agent: codex"),
    "REVIEW.md": file("agent: claude"),
  };
  const says = ({ state }: { readonly state: string }) =>
    ({ "START.md": "<reset>CODE</reset>", "CODE.md": "<reset>REVIEW</reset>" })[state] ??
    "<result>done</result>";

  it("runs each state on its own, and says so in events and state", async () => {
    const { begin, calls, events, saves } = twoAgentRun(PLAN, says);

    expect(await begin()).toMatchObject({
      status: "completed",
      totals: { costMicroUsd: 30_000 },
      candidates: { "CODE.md": ["codex"] },
    });
    expect(calls.map(({ state, agent }) => `${state} ${agent}`)).toEqual([
      "START.md claude",
      "CODE.md codex",
      "REVIEW.md claude",
    ]);
    const started = events.flatMap((event) => (event.type === "step.started" ? [event] : []));
    expect(started.map(({ backend }) => backend)).toEqual([undefined, "codex", undefined]);
    expect(saves.flatMap(({ owners }) => Object.values(owners))).toContain("codex");
  });

  it("runs a state on a backend that can only answer", async () => {
    const codex = plainBackend({ says: "<result>plain</result>" }, "codex");
    const { begin } = twoAgentRun({ ...PLAN, "REVIEW.md": "x" }, says, { codex });

    expect(await begin()).toMatchObject({ status: "completed", results: { main: "plain" } });
  });

  it("is refused before any cost if the agent of a state lacks a feature that it uses", async () => {
    const files = { ...PLAN, "CODE.md": file("agent: codex\ntools: [Read]") };
    const { begin, saves } = twoAgentRun(files, says, { can: { tools: false } });

    await expect(begin()).rejects.toMatchObject({ code: "workflow/beyond-backend" });
    const other = { ...PLAN, "START.md": file("tools: [Read]") };
    const { begin: beginOther } = twoAgentRun(other, says, { can: { tools: false } });
    expect((await beginOther()).status).toBe("completed");
    expect(saves).toEqual([]);
  });

  it("is refused before any cost if it names an unknown agent", async () => {
    const { begin, saves } = twoAgentRun({ "START.md": file("agent: codxe") }, says);

    await expect(begin()).rejects.toMatchObject({ code: "config/unknown-agent" });
    expect(saves).toEqual([]);
  });

  it("gives each agent the names of its own models only", async () => {
    const files = {
      ...PLAN,
      "CODE.md": file("agent: codex"),
      "REVIEW.md": file("agent: [codex, claude]\nmodel: gpt-5"),
    };
    const { begin, calls } = twoAgentRun(files, says, { changes: { model: "opus" } });

    await begin();
    expect(calls.map(({ agent, model }) => [agent, model])).toEqual([
      ["claude", "opus"],
      ["codex", null],
      ["codex", "gpt-5"],
    ]);
  });
});

describe("a conversation", () => {
  it("is not continued by another agent: the step fails with the text of lint", async () => {
    const files = { "START.md": file("agent: codex"), "NEXT.md": file("agent: claude") };
    const { begin, calls } = twoAgentRun(files, () => "<goto>NEXT</goto>");

    expect(await begin()).toMatchObject({
      status: "failed",
      stopReason: {
        class: "deterministic",
        message: expect.stringContaining(
          "NEXT.md names the coding agent claude, but continues a conversation of codex",
        ) as string,
      },
    });
    expect(calls).toHaveLength(1);
  });

  it("continues with its owner at states that name none, and after a call returns", async () => {
    const files = {
      "START.md": file("agent: codex"),
      "ASIDE.md": file("agent: claude"),
      "BACK.md": "Continue.",
    };
    const says = ({ state }: { readonly state: string }) =>
      ({
        "START.md": "<function return='BACK'>ASIDE</function>",
        "ASIDE.md": "<result>a</result>",
      })[state] ?? "<result>done</result>";
    const { begin, calls } = twoAgentRun(files, says);

    expect((await begin()).status).toBe("completed");
    expect(calls.map(({ agent, session: { mode } }) => `${agent} ${mode}`)).toEqual([
      "codex fresh",
      "claude fresh",
      "codex resume",
    ]);
    expect(calls[2]?.session.id).toBe(calls[0]?.session.id);
  });
});

describe("a fallback", () => {
  const files = { "START.md": file("agent: [claude, codex]") };

  it("answers while the first agent is limited, and is named in the event", async () => {
    const made = twoAgentRun(files, (_, agent) =>
      agent === "claude" ? limitUntil(NOON + HOUR) : "<result>codex</result>",
    );

    const done = await finish(made);
    expect(done).toMatchObject({ status: "completed", results: { main: "codex" } });
    expect(made.clock.now()).toBeLessThan(NOON + HOUR);
    const started = made.events.filter(({ type }) => type === "step.started");
    expect(started.at(-1)).toMatchObject({ backend: "codex", insteadOf: "claude" });
  });

  it("is not used for a limit that is shorter than fallback_after", async () => {
    let asked = 0;
    const made = twoAgentRun(
      files,
      (_, agent) => {
        asked += 1;
        return asked === 1 ? limitUntil(NOON + HOUR) : `<result>${agent}</result>`;
      },
      { changes: { fallbackAfterMs: 2 * HOUR } },
    );

    expect(await finish(made)).toMatchObject({ results: { main: "claude" } });
    expect(made.clock.now()).toBeGreaterThanOrEqual(NOON + HOUR);
  });

  it("answers after an outage of fallback_after", async () => {
    const made = twoAgentRun(files, (_, agent) =>
      agent === "claude" ? why("outage", "Down.") : `<result>${agent}</result>`,
    );

    expect(await finish(made)).toMatchObject({ results: { main: "codex" } });
  });
});

describe("a budget and an agent without reported costs", () => {
  const files = { "START.md": "x", "CODE.md": file("agent: codex\nmodel: gpt-5") };
  const end = () => "<result>done</result>";

  it.each([
    ["none", undefined],
    ["priced", (model: string | null) => model !== "gpt-5"],
  ] as const)("refuses to start without a price: %s", async (cost, hasPrice) => {
    const codex = { ...plainBackend({ says: "" }, "codex"), ...(hasPrice && { hasPrice }) };
    const priceless = { ...codex, can: { ...codex.can, cost } };
    const { begin, saves } = twoAgentRun(files, end, { codex: priceless });

    await expect(begin()).rejects.toMatchObject({
      code: "run/no-price",
      message: expect.stringContaining("the model gpt-5 of codex") as string,
    });
    expect(saves).toEqual([]);
    for (const changes of [{ allowUnpriced: true }, { budgetMicroUsd: null }]) {
      const allowed = twoAgentRun(files, end, { codex: priceless, changes });
      expect((await allowed.begin()).status).toBe("completed");
    }
  });

  it("starts if the price of the model is known", async () => {
    const plain = plainBackend({ says: "" }, "codex");
    const codex = {
      ...plain,
      can: { ...plain.can, cost: "priced" as const },
      hasPrice: (model: string | null) => model === "gpt-5",
    };
    expect((await twoAgentRun(files, end, { codex }).begin()).status).toBe("completed");
  });
});

describe("a run with one coding agent", () => {
  it("reports nothing about coding agents", async () => {
    const { begin, events } = twoAgentRun(
      { "START.md": file("agent: claude"), "B.md": "x" },
      ({ state }) => (state === "B.md" ? "<result>x</result>" : "<goto>B</goto>"),
    );

    await begin();
    expect(JSON.stringify(events.slice(1))).not.toMatch(/"(?:backend|insteadOf)":/);
  });
});
