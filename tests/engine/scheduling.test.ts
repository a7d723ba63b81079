import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventType } from "../../src/machine/model/event.ts";
import { reportFigure, size } from "../chaos/figures.ts";
import { anyBadDay, anyFaultPlan, anyOrder, type FaultPlan } from "../model/fault-plan.ts";
import { anyProgram, type Program } from "../model/program.ts";
import { runTrial, type Verdict } from "../model/trial.ts";
import { propertyRuns } from "../support/property-runs.ts";

/** Runs tried for each law; `RAYMOND_LAW_RUNS=100000` for a night. */
const RUNS = size("RAYMOND_LAW_RUNS", propertyRuns(200));
/** The same runs each time, so that a change is judged and not luck; `RAYMOND_SEED` tries others. */
const SEED = Number(process.env["RAYMOND_SEED"] ?? "20261121");
/** Far more than they take, ms. */
const timeout = 60_000 + RUNS * 200;

// What is looked at after every save, and at the start of every step, is in
// tests/model: invariants.ts, inspection.ts and oracle.ts.
describe("a run, under any order of things,", () => {
  it("matches the reference interpreter, in any order of step ends", { timeout }, async () => {
    await always("any order of outcomes", anyOrder, (verdict, program) => {
      reportsAllOnce(verdict);
      numbersEveryCall(verdict, program);
    });
  });

  it("reaches the same end if steps fail and the user intervenes", { timeout }, async () => {
    await always("with failures and stops", anyBadDay, reportsAllOnce);
  });

  it("reaches the same end if raymond crashes and its disk fails", { timeout }, async () => {
    await always("with crashes and failing disks", anyFaultPlan, () => undefined);
  });

  it("collects an answer that arrives while the coding agents of a state are read", async () => {
    const asking = '<ask next="STEP1">Is it right?</ask><fork>1_START.sh</fork>';
    const { run } = await runTrial(programOf({ "1_START.sh": asking, "STEP1.md": "" }, 1), {
      ...{ fates: [], mishaps: [], choices: [], rounds: [], lostSession: "fail" },
      backend: "claude",
      replies: [{ when: "soon", after: 0, text: "yes", twice: false, nudges: true, rests: false }],
    });
    expect(run.status).toBe("completed");
  });
});

/** Each state says one line, until its agent has made `fuel` steps. */
function programOf(lines: Readonly<Record<string, string>>, fuel: number): Program {
  const rest = { implied: null, gives: null, answer: null, onError: null, onContext: null };
  const states = Object.entries(lines).map(([name, line]) => {
    return { ...rest, agents: null, name, text: "# raymond: retries=0\n", lines: [line] };
  });
  return { states, fuel, input: null, attributes: {} };
}

async function always(
  title: string,
  faultPlan: fc.Arbitrary<FaultPlan>,
  law: (verdict: Verdict, program: Program) => void,
): Promise<void> {
  const property = fc.asyncProperty(anyProgram, faultPlan, async (program, chance) => {
    const verdict = await runTrial(program, chance);
    const { run, oracle } = verdict;
    expect(run.results).toEqual(Object.fromEntries(oracle.results));
    for (const [agent, steps] of oracle.past) expect(oracle.moved.get(agent)).toBe(steps.length);
    law(verdict, program);
  });
  const tried = await fc.check(property, { numRuns: RUNS, seed: SEED });
  const said = tried.failed ? await fc.asyncDefaultReportMessage(tried) : undefined;
  const failures = said === undefined ? [] : [said];
  await reportFigure({ what: `random runs, ${title}`, count: tried.numRuns, failures });
  if (said !== undefined) throw new Error(said, { cause: tried.errorInstance });
}

/** While raymond lives, nothing is reported twice or not at all. */
function reportsAllOnce({ run, oracle, events }: Verdict): void {
  const reported = (...types: readonly EventType[]) =>
    types.reduce((sum, type) => sum + (events.get(type) ?? 0), 0);
  expect({
    started: reported("step.started"),
    ended: reported("step.ended"),
    moved: reported("agent.moved", "agent.diverted", "agent.ended"),
    forked: reported("agent.forked"),
    answered: reported("agent.answered", "agent.unanswered"),
  }).toEqual({
    started: run.processes,
    ended: run.totals.attempts,
    moved: run.steps + oracle.turns.failed.size,
    forked: oracle.past.size - 1,
    answered: oracle.turns.answered.size,
  });
}

/** Where nothing fails, the calls of a state are numbered as they come, and none is left out. */
function numbersEveryCall({ run, oracle }: Verdict, { states }: Program): void {
  const steps = [...oracle.past.values()].flat();
  for (const { name, text } of states) {
    if (!name.endsWith(".md") || /max_visits|budget|max_context/.test(text)) continue;
    const count = steps.filter(({ state }) => state === name).length;
    expect(run.calls[name] ?? 0).toBe(count);
  }
}
