import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";
import { stepToken } from "../../../src/engine/ports/orphans.ts";
import { processHost } from "../../../src/process/platform/host.ts";
import { describeLeftovers } from "../../contracts/orphans.ts";
import { describeProcessHost } from "../../contracts/process.ts";
import { tempFolder } from "../../support/folders.ts";
import { describeNeeds, ENVIRONMENTS } from "../../support/needs.ts";
import { bashCall } from "../../support/process/bash-call.ts";
import { until } from "../../support/until.ts";

describeProcessHost("processHost", processHost());
describeNeeds(ENVIRONMENTS, "orphan processes of a run whose claims have epochs", () => {
  it("exclude the steps of a newer claim", async () => {
    const run = randomUUID();
    const groups = await tempFolder();
    const host = processHost();
    const steps = new Map<number, number>();
    for (const epoch of [7, 8, 9]) {
      const bash = bashCall("echo ready $$; exec sleep 300", {
        token: stepToken(run, epoch, 1),
      });
      host.recordSteps(host.start, groups)(bash.call);
      steps.set(epoch, Number(/\d+/.exec(await bash.said(/ready \d+/))?.[0]));
    }
    // Written down beside the start: a group of a newer claim counts as little as its token.
    await until("three groups", async () => (await readdir(groups)).length === 3 || undefined);

    const { ended, remaining: left } = await host.orphans(groups, null, 8).end(run);

    expect(ended.map(({ pid }) => pid).toSorted()).toEqual(
      [steps.get(7) ?? 0, steps.get(8) ?? 0].toSorted(),
    );
    expect(left).toEqual([]);
    expect(await host.orphans(groups, null, 8).find(run)).toEqual([]);
    expect(await host.orphans(groups, null, 9).find(run)).toMatchObject([{ pid: steps.get(9) }]);
  });
});
describeLeftovers("those of the machine", () => processHost().orphans("/nowhere"));
// What macOS runs, on whatever has a ps.
describeProcessHost("processHost by ps", processHost("darwin"));
