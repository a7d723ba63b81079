import { expect, it } from "vitest";
import { initializedFleet } from "../../support/fleet/quiet-fleet.ts";

it("finds a run by its id even if many newer ids start with it", async () => {
  const { say, database } = await initializedFleet();
  await say("submit", "w", "--workflow-id", "nightly");
  await database.query(
    `INSERT INTO raymond.runs (id, version, status, workflow, simulated, cost_micro_usd, steps, agents, started_at, updated_at, state)
     SELECT 'nightly-' || n, version, status, workflow, simulated, cost_micro_usd, steps, agents, '9' || started_at, updated_at, state
       FROM raymond.runs, generate_series(1, 60) AS n`,
  );

  const exact = await say("status", "nightly");

  expect(exact).toMatchObject({ code: null, err: "" });
  expect(exact.out).toMatch(/\bnightly\b(?!-)/);
  await expect(say("status", "nightl")).rejects.toMatchObject({ code: "store/ambiguous-run" });
});

it("logs that a run was stopped in its queue", async () => {
  const { say } = await initializedFleet();
  await say("submit", "w", "--workflow-id", "r");
  await say("stop", "r");

  const { out, err } = await say("logs", "r");
  const json = await say("logs", "r", "--json");

  expect(out).toContain("Taken out of its queue, as asked.");
  expect(err).toBe("");
  expect(json.out).toContain('"type":"run.ended"');
});

it("explains a failed run without events", async () => {
  const { say, database } = await initializedFleet();
  await say("submit", "w", "--workflow-id", "r");
  await say("stop", "r");
  await database.query("DELETE FROM raymond.events");

  for (const words of [
    ["logs", "r"],
    ["logs", "r", "--follow"],
  ]) {
    const { err } = await say(...words);
    expect(err).toContain("r has no events. Taken out of its queue, as asked.");
  }
});
