import { describe, expect, it } from "vitest";
import type { OverviewJson } from "../../../src/dashboard/api.ts";
import { start } from "../../../src/run/start.ts";
import { openDashboard, projectWith } from "../../support/dashboard.ts";

describe("the overview of a run", () => {
  it("shows the agents of a run that no process holds as stopped", async () => {
    const caller = await projectWith({ "flow/START.sh": "echo '<goto>START</goto>'" });
    await start({ workflow: "flow", id: "stops", settings: { maxSteps: 2 } }, caller);
    const of = await openDashboard(caller);

    const overview = (await of.json(`${of.folder}/runs/stops`)) as OverviewJson;

    expect(overview.status).toBe("paused");
    expect(overview.agents).toMatchObject([
      { agent: "main", does: "stopped", step: null, since: null },
    ]);
  });
});
