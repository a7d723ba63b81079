import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openFleetRuns } from "../../../src/fleet/admin/open.ts";
import { fleetId, whileAbsent } from "../../../src/fleet/lease/existing-runs.ts";
import { recordFleet } from "../../../src/fleet/worker/remains.ts";
import { type Prunable, prunable, prune } from "../../../src/run/prune.ts";
import { thisProcess } from "../../../src/wire/caller.ts";
import { fleetUrl } from "../../support/fleet/postgres.ts";
import { tempFolder } from "../../support/folders.ts";
import { run } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

/** The folder of a worker, and a caller that prunes there. */
async function scene() {
  const here = thisProcess({ env: {} });
  const fleet = await openFleetRuns(await fleetUrl(), here);
  onTestFinished(() => fleet.close());
  const root = await tempFolder();
  await recordFleet(root, await fleetId(fleet.database));
  const write = async (file: string, text = "12345678") => {
    const place = path.join(root, file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, text);
  };
  const save = async (id: string, status: "completed" | "running") => {
    const lock = await fleet.store.lock(id);
    await fleet.store.save(
      { ...run({ id, status }), ...(status === "completed" && { agents: [] }) },
      0,
    );
    await lock.release();
  };
  const has = (file: string) => existsSync(path.join(root, file));
  const caller = { ...here, fleet };
  return { fleet, root, caller, write, save, has, options: { workerFolder: root } };
}

const ids = ({ left }: Prunable) => left.map(({ id }) => id);

it("deletes local data of pruned runs, and of runs that the fleet no longer has", async () => {
  const { caller, options, write, save, has } = await scene();
  await save("over", "completed");
  await save("lives", "running");
  for (const id of ["over", "lives", "gone"]) {
    await write(`runs/${id}/events.jsonl`);
    await write(`debug/${id}/one.txt`);
    await write(`fleet/workspaces/${id}/made/deep.txt`);
    await write(`fleet/left-behind/${id}/said.jsonl`);
  }
  // Runs of the project, one of them starting, and files of no run.
  await write("workflows/own.json");
  await write("runs/own/events.jsonl");
  await write("runs/begins/lock.1");
  await write("fleet/workspaces/not a run/file");
  await write("fleet/workflows/0123/flow/START.sh");

  const found = await prunable(options, caller);
  expect(ids(found)).toEqual(["gone"]);
  expect(found.left[0]?.bytes).toBe(32);
  expect(found.runs).toMatchObject([{ run: { id: "over" } }]);
  expect(found.runs[0]?.bytes).toBeGreaterThan(32);
  await prune(options, caller);

  for (const id of ["over", "gone"]) {
    for (const place of ["runs", "debug", "fleet/workspaces", "fleet/left-behind"])
      expect(has(`${place}/${id}`), `${place}/${id}`).toBe(false);
  }
  expect(has("fleet/deleted")).toBe(false);
  for (const file of [
    ...["runs/lives/events.jsonl", "fleet/workspaces/lives/made/deep.txt", "workflows/own.json"],
    ...["runs/own/events.jsonl", "runs/begins/lock.1", "fleet/workspaces/not a run/file"],
    "fleet/workflows/0123/flow/START.sh",
  ])
    expect(has(file), file).toBe(true);
});

it("keeps data of a run that was created after the scan", async () => {
  const { caller, options, write, save, has } = await scene();
  await write("fleet/workspaces/again/file");
  const { left } = await prunable(options, caller);
  await save("again", "running");

  for (const { remove } of left) await remove();

  expect(left).toHaveLength(1);
  expect(has("fleet/workspaces/again/file")).toBe(true);
});

it("deletes nothing in a folder that workers of several fleets, or of none, have used", async () => {
  const { caller, options, root, write } = await scene();
  await write("fleet/workspaces/gone/file");
  expect(ids(await prunable({ workerFolder: await tempFolder() }, caller))).toEqual([]);
  expect(ids(await prunable(options, caller))).toEqual(["gone"]);
  await recordFleet(root, "another");
  expect(ids(await prunable(options, caller))).toEqual([]);
});

it("blocks the submission of a run while data of a run with the same id is deleted", async () => {
  const { fleet } = await scene();
  const order: string[] = [];
  let submitting: Promise<unknown> = Promise.resolve();
  const done = await whileAbsent(fleet.database, "same", async () => {
    submitting = fleet.store.lock("same").then(() => order.push("submitted"));
    await until("the other waits, or is through", async () => {
      const waits = await fleet.database.query("SELECT 1 FROM pg_locks WHERE NOT granted");
      return waits.length > 0 || order.length > 0 ? true : undefined;
    });
    order.push("put aside");
  });
  await submitting;
  expect([done, order]).toEqual([true, ["put aside", "submitted"]]);
  expect(await whileAbsent(fleet.database, "same", () => Promise.reject(new Error("no")))).toBe(
    false,
  );
});
