import { describe, expect, it } from "vitest";
import { scene } from "../scene.ts";

const CHAIN = { "w/START.md": "One", "w/TWO.md": "Two", "w/THREE.md": "Three" };

describe("a budget", () => {
  it("stops the run after the step that passed it, and a higher one repeats nothing that was paid", async () => {
    const { project, raymond, calls } = await scene(CHAIN, [
      { match: "One", say: "<goto>TWO</goto>", cost: 6 },
      { match: "Two", say: "<goto>THREE</goto>", cost: 6 },
      { match: "Three", say: "<result>done</result>", cost: 1 },
    ]);

    const stopped = await raymond("w --workflow-id one");
    expect(stopped).toMatchObject({ exitCode: 4, stdout: "" });
    expect(stopped.stderr).toContain("The budget of $10.00 is used up: $12.00 spent.");
    expect(stopped.stderr).toContain("resume with: raymond resume one --budget 20");
    expect(await project.run("one")).toMatchObject({
      status: "budget_exceeded",
      agents: [{ current_state: "THREE.md" }],
    });
    expect((await raymond("--resume one")).exitCode).toBe(4);

    const done = await raymond("--resume one --budget 20");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect((await calls()).map(({ prompt }) => prompt)).toEqual(["One", "Two", "Three"]);
    expect(await project.run("one")).toMatchObject({
      total_cost_usd: 13,
      settings: { budget_usd: 20 },
    });
  });

  it("that the last step passes is a warning, for the run is complete", async () => {
    const { raymond } = await scene(CHAIN, [{ say: "<result>done</result>", cost: 11 }]);

    const done = await raymond("w --quiet");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(done.stderr).toContain("exceeded the budget of $10.00");
  });

  it("interrupts a step, which continues in its session with the rest", async () => {
    const { project, raymond, calls } = await scene(CHAIN, [
      { say: "I am thinking.", do: "max-budget", cost: 0.6 },
      { say: "<result>done</result>", cost: 0.1 },
    ]);

    const done = await raymond("w --workflow-id one --budget 1");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    const [first, second] = await calls();
    expect(second).toMatchObject({ mode: "resume", session: first?.session });
    expect(second?.prompt).toContain("cut off");
    expect(first?.argv).toContain("--max-budget-usd=1.000000");
    expect(second?.argv).toContain("--max-budget-usd=0.400000");
    expect((await project.run("one")).total_cost_usd).toBe(0.7);
  });

  it("that is used up before an interrupted step has ended stops the run, and a higher one continues the step", async () => {
    const { project, raymond, calls } = await scene(CHAIN, [
      { say: "I am thinking.", do: "max-budget", cost: 1.2 },
      { say: "<result>done</result>", cost: 0.1 },
    ]);

    expect((await raymond("w --workflow-id one --budget 1")).exitCode).toBe(4);
    expect(await project.run("one")).toMatchObject({ agents: [{ current_state: "START.md" }] });

    const done = await raymond("--resume one --budget 2");
    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect((await calls()).map(({ mode }) => mode)).toEqual(["fresh", "resume"]);
  });

  it("counts the cost of both kinds of clients: per call, or per conversation", async () => {
    const replies = [
      { match: "One", say: "<goto>TWO</goto>", cost: 0.25 },
      { match: "Two", say: "<goto>THREE</goto>", cost: 0.25 },
      { match: "Three", say: "<result>done</result>", cost: 0.25 },
    ];
    for (const version of ["2.1.197", "2.1.330"]) {
      const { project, raymond } = await scene(CHAIN, replies, { version });
      expect((await raymond("w --workflow-id one")).exitCode).toBe(0);
      expect((await project.run("one")).total_cost_usd).toBe(0.75);
    }
  });
});
