import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { type OpenFleet, openFleetRuns } from "../../../src/fleet/admin/open.ts";
import { spent } from "../../../src/machine/model/run-state.ts";
import { thisProcess } from "../../../src/wire/caller.ts";
import { reportFigure, size } from "../../chaos/figures.ts";
import { initializedUrl } from "../../support/fleet/postgres.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anySmallWorkflow } from "../worker/traces/small-workflow.ts";
import type { Trace } from "../worker/traces/trace.ts";
import {
  type Death,
  fleetTrace,
  inProject,
  localTrace,
  type Trial,
} from "../worker/traces/trial.ts";

/*
 * docs/fleet.md, "Guarantees". Workflows and the failures of their steps are random. Everything else, including
 * the clock, is the same for the local run and the fleet run. The fleet run is submitted, and executed by the code of a
 * worker below its queues.
 */

const RUNS = size("RAYMOND_TRACE_RUNS", propertyRuns(12));
/** Far more than they take, ms. */
const timeout = 60_000 + RUNS * 3_000;

const anyTrial: fc.Arbitrary<Trial> = fc.record({
  workflow: anySmallWorkflow,
  choices: fc.array(fc.nat({ max: 11 }), { maxLength: 40 }),
});

it("emits the same events and states for a fleet run as for a local run, including takeovers", {
  timeout,
}, async () => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const fleet = await openedFleet();
  let runs = 0;
  let takeovers = 0;

  const law = fc.asyncProperty(anyTrial, fc.nat(), fc.boolean(), async (trial, where, moves) => {
    await inProject(trial, async (dir) => {
      runs += 1;
      const id = `run-${String(runs)}`;
      const whole = await localTrace(trial, id, dir, null);
      await expectSame(whole, await fleetTrace(trial, id, dir, null, fleet), fleet);

      if (whole.run.saves < 2) return;
      const before = 2 + (where % (whole.run.saves - 1));
      const next = moves ? "another machine" : "its machine";
      const death: Death = { before, next };
      const broken = `broken-${String(runs)}`;
      const here = await localTrace(trial, broken, dir, death);
      await expectSame(here, await fleetTrace(trial, broken, dir, death, fleet), fleet);
      takeovers += 1;
    });
  });
  await fc.assert(law, { numRuns: RUNS });

  await reportFigure({ what: "traces of runs of a fleet", count: 2 * runs, failures: [] });
  expect(takeovers).toBeGreaterThan(0);
});

/** Compares traces. Also checks the costs in the ledger, and that each worker of a fork exists once. */
async function expectSame(here: Trace, there: Trace, { database }: OpenFleet): Promise<void> {
  expect(there.events.map(withoutActor)).toEqual(here.events.map(withoutActor));
  expect(there.journal).toEqual(here.journal);
  expect(there.state).toEqual(here.state);
  const [paid] = await database.query(
    "SELECT coalesce(sum(micro_usd + estimated_micro_usd), 0)::bigint AS sum FROM raymond.ledger WHERE run = $1",
    [there.run.id],
  );
  expect(paid).toEqual({ sum: spent(there.run) });
  const forked = there.events.flatMap((event) => ("worker" in event ? [event.worker] : []));
  expect(forked).toEqual([...new Set(forked)]);
}

/** A worker continues a run of a dead worker on its own, without a person. */
function withoutActor(event: object): object {
  return { ...event, actor: null };
}

async function openedFleet(): Promise<OpenFleet> {
  const url = await initializedUrl();
  const fleet = await openFleetRuns(url, thisProcess());
  onTestFinished(() => fleet.close());
  return fleet;
}
