import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Artifacts } from "../../src/engine/ports/artifacts.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { RaymondError } from "../../src/language/basics/errors.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { anyRun, run, totals } from "../support/runs.ts";

/** A place where a run is kept. */
export interface Keeping {
  /** A process that saves the run there; another one at each call. */
  readonly writer: () => Pick<Store, "save">;
  /** The run as it is kept. */
  readonly kept: () => Promise<RunState | null | undefined>;
}

/** What everything that a run is saved to promises: stores, and what stands for them in tests. */
export function describeSaves(name: string, open: () => Promise<Keeping>): void {
  describe(`${name}, where a run is saved`, () => {
    const revision = (saves: number, steps = 0) => run({ saves, steps });

    it("accepts a save that is based on the stored revision", async () => {
      const { writer, kept } = await open();
      const [one, other] = [writer(), writer()];

      await one.save(revision(1), 0);
      await other.save(revision(2), 1);
      await other.save(revision(3), 2);
      await one.save(revision(4), 3);

      expect(await kept()).toEqual(revision(4));
    });

    it("rejects other saves repeatedly and keeps the stored run", async () => {
      const { writer, kept } = await open();
      const [one, other] = [writer(), writer()];
      await one.save(revision(1), 0);
      await other.save(revision(2, 7), 1);

      for (const each of [revision(2), revision(3), revision(2)]) {
        await expect(one.save(each, 1)).rejects.toMatchObject({
          code: "store/run-taken",
          message: expect.stringContaining(each.id) as string,
        });
      }
      await expect(writer().save(revision(1), 0)).rejects.toThrow("save 2 is on disk");

      expect(await kept()).toEqual(revision(2, 7));
      await other.save(revision(3, 8), 2);
      expect(await kept()).toEqual(revision(3, 8));
    });
  });
}

/**
 * What every Store promises. A new one is done when this suite is green for it.
 * `openAt` opens a place as one more process would.
 */
export function describeStore<Place>(
  name: string,
  newPlace: () => Promise<Place>,
  openAt: (place: Place) => Store,
): void {
  const open = async () => openAt(await newPlace());

  describeSaves(name, async () => {
    const place = await newPlace();
    return { writer: () => openAt(place), kept: () => openAt(place).load(run().id) };
  });

  describe(`${name} as a Store`, () => {
    it("loads the last save", async () => {
      const store = await open();
      await store.save(run({ steps: 1 }), 0);
      await store.save(run({ steps: 2, totals: totals({ costMicroUsd: 3 }) }), 0);

      expect(await store.load(run().id)).toEqual(
        run({ steps: 2, totals: totals({ costMicroUsd: 3 }) }),
      );
    });

    it("loads every run as it was saved", async () => {
      const store = await open();

      await fc.assert(
        fc.asyncProperty(anyRun, async (before) => {
          await store.save(before, (await store.load(before.id))?.saves ?? 0);

          expect(await store.load(before.id)).toEqual(before);
        }),
        { numRuns: propertyRuns(30) },
      );
    });

    it("keeps the last one of concurrent saves", async () => {
      const store = await open();

      await Promise.all([1, 2, 3, 4, 5].map((saves) => store.save(run({ saves }), saves - 1)));

      expect((await store.load(run().id))?.saves).toBe(5);
    });

    it("finds no run that was never saved", async () => {
      const store = await open();

      expect(await store.load("nowhere")).toBeUndefined();
      expect(await store.holder("nowhere")).toBeNull();
      expect(await store.list()).toEqual([]);
    });

    it("finds a run by its id in any case", async () => {
      const store = await open();
      await store.save(run({ id: "Nightly" }), 0);

      expect(await store.findIdIgnoringCase("nightly")).toBe("Nightly");
      expect(await store.findIdIgnoringCase("Nightly")).toBe("Nightly");
      expect(await store.findIdIgnoringCase("night")).toBeNull();
    });

    it.each(["../escape", "a/b", "latest", "", "con"])("rejects the id %j", async (id) => {
      const store = await open();

      await expect(store.load(id)).rejects.toThrow(RaymondError);
      await expect(store.lock(id)).rejects.toThrow(RaymondError);
    });

    it("lists its runs, newest first", async () => {
      const store = await open();
      await store.save(run({ id: "a", startedAt: "2026-01-02T00:00:00.000Z" }), 0);
      await store.save(run({ id: "b", startedAt: "2026-01-03T00:00:00.000Z" }), 0);
      await store.save(
        run({ id: "c", startedAt: "2026-01-01T00:00:00.000Z", status: "paused" }),
        0,
      );

      expect(await store.list()).toMatchObject([{ id: "b" }, { id: "a" }, { id: "c" }]);
      expect((await store.list())[2]).toEqual({
        id: "c",
        status: "paused",
        origin: null,
        workflow: "/repo/workflows/coding",
        simulated: false,
        costMicroUsd: 0,
        steps: 0,
        agents: 1,
        startedAt: "2026-01-01T00:00:00.000Z",
        updatedAt: "2026-11-21T10:31:12.004Z",
        holder: null,
        waitsUntil: null,
        questions: [],
        problem: null,
      });
    });

    it.each(["running", "waiting"] as const)(
      "shows a %s run without a holder as crashed",
      async (status) => {
        const store = await open();
        await store.save(run({ status }), 0);
        expect(await store.list()).toMatchObject([{ status: "crashed" }]);

        const lock = await store.lock(run().id);
        expect(await store.list()).toMatchObject([{ status }]);

        await lock.release();
        expect(await store.list()).toMatchObject([{ status: "crashed" }]);
      },
    );

    it("gives a run to one holder at a time, and reports the holder", async () => {
      const store = await open();
      const lock = await store.lock("r1");

      expect(await store.holder("r1")).toMatchObject({ pid: process.pid });
      await expect(store.lock("r1")).rejects.toMatchObject({ code: "store/run-locked" });

      await lock.release();
      await lock.release();
      expect(await store.holder("r1")).toBeNull();
      await (await store.lock("r1")).release();
    });

    it("does not release the lock of the next holder when released twice", async () => {
      const store = await open();
      const first = await store.lock("r1");
      await first.release();
      const second = await store.lock("r1");

      await first.release();

      expect(await store.holder("r1")).not.toBeNull();
      await second.release();
    });

    it("removes a run with its artifacts, but not while it is held", async () => {
      const store = await open();
      await store.save(run(), 0);
      const places = placesOf(await store.artifacts(run().id));
      for (const place of places) {
        await mkdir(path.dirname(place), { recursive: true });
        await writeFile(place, "");
      }
      const lock = await store.lock(run().id);

      await expect(store.remove(run().id)).rejects.toMatchObject({ code: "store/run-locked" });
      expect(await store.load(run().id)).toBeDefined();

      await lock.release();
      await store.remove(run().id);
      expect(await store.load(run().id)).toBeUndefined();
      expect(places.filter((place) => existsSync(place))).toEqual([]);
    });

    it("can save and lock the id of a removed run again", async () => {
      const store = await open();
      await store.save(run(), 0);
      await store.remove(run().id);

      const lock = await store.lock(run().id);
      await store.save(run({ steps: 9 }), 0);
      await lock.release();

      expect((await store.load(run().id))?.steps).toBe(9);
    });

    it("returns the same artifact paths before and after the first save", async () => {
      const store = await open();

      const artifacts = await store.artifacts(run().id);

      const places = placesOf(artifacts);
      expect(places.every((place) => path.isAbsolute(place) && !existsSync(place))).toBe(true);
      expect(new Set(places).size).toBe(places.length);
      await store.save(run(), 0);
      expect(await store.artifacts(run().id)).toEqual(artifacts);
      expect(placesOf(await store.artifacts("r2")).some((place) => places.includes(place))).toBe(
        false,
      );
    });
  });
}

function placesOf({ archive, ...places }: Artifacts): readonly string[] {
  return [...Object.values(places), ...Object.values(archive)];
}
