import { stat } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RaymondError } from "../../src/core/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { anyRun, run, sums } from "../support/runs.ts";

/** What every Store promises. A new one is done when this suite is green for it. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(`${name} as a Store`, () => {
    it("loads what was saved last", async () => {
      const store = await open();
      await store.save(run({ steps: 1 }));
      await store.save(run({ steps: 2, totals: sums({ costMicroUsd: 3 }) }));

      expect(await store.load(run().id)).toEqual(
        run({ steps: 2, totals: sums({ costMicroUsd: 3 }) }),
      );
    });

    it("loads every run as it was saved", async () => {
      const store = await open();

      await fc.assert(
        fc.asyncProperty(anyRun, async (before) => {
          await store.save(before);

          expect(await store.load(before.id)).toEqual(before);
        }),
        { numRuns: 30 },
      );
    });

    it("keeps the last of saves that were asked for together", async () => {
      const store = await open();

      await Promise.all([1, 2, 3, 4, 5].map((steps) => store.save(run({ steps }))));

      expect((await store.load(run().id))?.steps).toBe(5);
    });

    it("knows nothing of a run that was never saved", async () => {
      const store = await open();

      expect(await store.load("nowhere")).toBeUndefined();
      expect(await store.holder("nowhere")).toBeNull();
      expect(await store.list()).toEqual([]);
    });

    it.each(["../escape", "a/b", "latest", "", "con"])("refuses the id %j", async (id) => {
      const store = await open();

      await expect(store.load(id)).rejects.toThrow(RaymondError);
      await expect(store.lock(id)).rejects.toThrow(RaymondError);
    });

    it("lists its runs, the last started first", async () => {
      const store = await open();
      await store.save(run({ id: "a", startedAt: "2026-01-02T00:00:00.000Z" }));
      await store.save(run({ id: "b", startedAt: "2026-01-03T00:00:00.000Z" }));
      await store.save(run({ id: "c", startedAt: "2026-01-01T00:00:00.000Z", status: "paused" }));

      expect(await store.list()).toMatchObject([{ id: "b" }, { id: "a" }, { id: "c" }]);
      expect((await store.list())[2]).toEqual({
        id: "c",
        status: "paused",
        workflow: "/repo/workflows/coding",
        simulated: false,
        costMicroUsd: 0,
        steps: 0,
        agents: 1,
        startedAt: "2026-01-01T00:00:00.000Z",
        updatedAt: "2026-11-21T10:31:12.004Z",
        problem: null,
      });
    });

    it.each(["running", "waiting"] as const)(
      "shows a run that is %s and held by nobody as crashed",
      async (status) => {
        const store = await open();
        await store.save(run({ status }));
        expect(await store.list()).toMatchObject([{ status: "crashed" }]);

        const lock = await store.lock(run().id);
        expect(await store.list()).toMatchObject([{ status }]);

        await lock.release();
        expect(await store.list()).toMatchObject([{ status: "crashed" }]);
      },
    );

    it("gives a run to one holder at a time, and says who it is", async () => {
      const store = await open();
      const lock = await store.lock("r1");

      expect(await store.holder("r1")).toMatchObject({ pid: process.pid });
      await expect(store.lock("r1")).rejects.toMatchObject({ code: "store/run-locked" });

      await lock.release();
      await lock.release();
      expect(await store.holder("r1")).toBeNull();
      await (await store.lock("r1")).release();
    });

    it("does not take the lock from the next holder when released twice", async () => {
      const store = await open();
      const first = await store.lock("r1");
      await first.release();
      const second = await store.lock("r1");

      await first.release();

      expect(await store.holder("r1")).not.toBeNull();
      await second.release();
    });

    it("removes a run with its folder, but not while it is held", async () => {
      const store = await open();
      await store.save(run());
      const folder = await store.runDir(run().id);
      const lock = await store.lock(run().id);

      await expect(store.remove(run().id)).rejects.toMatchObject({ code: "store/run-locked" });
      expect(await store.load(run().id)).toBeDefined();

      await lock.release();
      await store.remove(run().id);
      expect(await store.load(run().id)).toBeUndefined();
      await expect(stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
    });

    it("can save and lock a removed run's id again", async () => {
      const store = await open();
      await store.save(run());
      await store.remove(run().id);

      const lock = await store.lock(run().id);
      await store.save(run({ steps: 9 }));
      await lock.release();

      expect((await store.load(run().id))?.steps).toBe(9);
    });

    it("makes the folder of a run when asked for it", async () => {
      const store = await open();

      const folder = await store.runDir("r1");

      expect((await stat(folder)).isDirectory()).toBe(true);
      expect(await store.runDir("r1")).toBe(folder);
      await store.remove("r1");
    });
  });
}
