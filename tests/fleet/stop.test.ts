import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openFleetRuns } from "../../src/fleet/open.ts";
import { submit } from "../../src/fleet/submit.ts";
import { thisProcess } from "../../src/runs/caller.ts";
import { stop } from "../../src/runs/stop.ts";
import { prepareFleet } from "../../src/runs/wire/fleet.ts";
import { fleetUrl, openedDatabase } from "../support/postgres.ts";
import { tempProject } from "../support/project.ts";

it("leaves no wish behind, where nobody holds the run any more who could hear it", async () => {
  const url = await fleetUrl();
  const database = openedDatabase(url);
  await prepareFleet(database);
  const { dir, env } = await tempProject({ "w/1_START.sh": "echo '<result>done</result>'" });
  const caller = thisProcess({ cwd: dir, env });
  const fleet = await openFleetRuns(url, caller);
  onTestFinished(() => fleet.close());
  const placement = {
    ...{ pool: "default", account: null, pinned: null, failoverAfterMs: 0 },
    workspace: { kind: "shared", folder: path.resolve(dir) },
    sessions: { kind: "home" },
  } as const;
  const run = await submit({ workflow: "w", placement }, fleet, caller);
  // As of somebody who saw a holder that ended then.
  await fleet.store.remote?.sendRequest(run, { stop: "interrupt" });

  await stop({ run }, { ...caller, fleet });

  expect(await database.query("SELECT run, wish FROM raymond.wishes")).toEqual([]);
});
