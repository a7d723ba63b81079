import { expect, it } from "vitest";
import { resumeRun } from "../../src/engine/resume.ts";
import { runLoop } from "../../src/engine/run-loop.ts";
import { FRESH } from "../../src/machine/model/agent.ts";
import { NO_SPEND } from "../../src/machine/model/spend.ts";
import { targetOf } from "../../src/machine/moves/set-result.ts";
import { agent } from "../support/agents.ts";
import { cancelled, modelReply, type Script, type World, world } from "../support/engine/worlds.ts";
import { failure } from "../support/outcomes.ts";
import { run } from "../support/runs.ts";

const ACTOR = { user: "jane", host: "build-7", via: "command" } as const;

const fresh = (state: string) =>
  run({
    agents: [
      agent({
        ...{ state, session: FRESH, entered: FRESH },
        stack: [{ session: FRESH, returnTo: "BACK.md", workflow: null, crossed: false }],
      }),
    ],
  });

/** Sets the result of the running step as soon as it runs. */
function stuckIn(state: string, end: Script): World {
  const here = world({
    [state]: async (step, cancellation, listener) => {
      here.setResult({
        ...{ agent: "main", ...targetOf(step.agent), result: "by hand" },
        ...{ reason: "it hangs", actor: ACTOR },
      });
      await cancelled(cancellation);
      return typeof end === "string" ? modelReply(step, end) : end(step, cancellation, listener);
    },
    "BACK.md": "<result>end</result>",
  });
  return here;
}

it.each(["START.md", "STUCK.sh"])(
  "interrupts a stuck step in %s, counts its cost and returns the result",
  async (state) => {
    const here = stuckIn(state, () =>
      failure("cancelled", { spend: { ...NO_SPEND, conversationMicroUsd: 2_000, settled: true } }),
    );

    const end = await runLoop(fresh(state), here.engine, here.control);

    expect(end).toMatchObject({ status: "completed", results: { main: "end" } });
    expect(end.totals.attempts).toBe(2);
    expect(here.steps.at(-1)).toMatchObject({
      file: { name: "BACK.md" },
      agent: { pendingResult: "by hand" },
    });
    expect(here.saves.filter(({ agents }) => agents[0]?.setResult === "by hand")).not.toEqual([]);
    const types = here.events.map(({ type }) => type);
    expect(types.filter((type) => type === "agent.result-set")).toHaveLength(1);
    expect(types.indexOf("agent.result-set")).toBeLessThan(types.indexOf("step.ended"));
  },
);

it("replaces the answer of a step that ends in the meantime", async () => {
  const here = stuckIn("START.md", "<goto>ELSEWHERE</goto>");
  const end = await runLoop(fresh("START.md"), here.engine, here.control);

  expect(end).toMatchObject({ status: "completed", results: { main: "end" } });
  expect(here.steps.map(({ file }) => file.name)).toEqual(["START.md", "BACK.md"]);
});

it("applies a result once after a crash at any save", async () => {
  const first = stuckIn("START.md", () => failure("cancelled"));
  await runLoop(fresh("START.md"), first.engine, first.control);
  for (const saved of first.saves.filter(({ resultsSet }) => resultsSet > 0)) {
    if (saved.status === "completed") continue;
    const second = world({ "START.md": "<goto>START</goto>", "BACK.md": "<result>end</result>" });
    const end = await resumeRun(saved, {}, second.engine, second.control);

    expect(end).toMatchObject({ status: "completed", resultsSet: 1 });
    expect(second.steps.map(({ file }) => file.name)).toEqual(["BACK.md"]);
  }
});
