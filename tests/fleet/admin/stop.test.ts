import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { LockHolder } from "../../../src/engine/ports/store.ts";
import { openFleetRuns } from "../../../src/fleet/admin/open.ts";
import { submit } from "../../../src/fleet/queue/submit.ts";
import { stop } from "../../../src/run/control/stop.ts";
import { thisProcess } from "../../../src/wire/caller.ts";
import { initializedUrl, openedDatabase } from "../../support/fleet/postgres.ts";
import { tempProject } from "../../support/project.ts";

it("deletes the control request if no process holds the run", async () => {
  const url = await initializedUrl();
  const database = openedDatabase(url);
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
  // As seen by a process that observed the holder before it ended.
  const holder: LockHolder = {
    ...{ host: "there", pid: 1, identity: "1", startedAt: "", visible: true, lastSeenAt: "" },
  };
  await fleet.store.sendRequest(run, holder, { stop: "interrupt" });

  await stop({ run }, { ...caller, fleet });

  expect(await database.query("SELECT run, request FROM raymond.control_requests")).toEqual([]);
});
