import { describe, expect, it } from "vitest";
import { fileStore } from "../../src/storage/file.ts";
import {
  type DiskFailure,
  type SimulatedDisk,
  simulatedDisk,
} from "../support/disk/simulated-disk.ts";
import { run } from "../support/runs.ts";

const ROOT = "/project/.raymond";
const ID = run().id;
const LONG = run({ results: { main: "x".repeat(70_000) } });

/** All that is not synced is lost, and what is cut off has happened in part. */
async function unlucky(): Promise<SimulatedDisk> {
  const disk = simulatedDisk(() => 1);
  const user = disk.user();
  await user.disk.makeFolder("/project");
  await user.disk.syncFolder("/");
  return disk;
}

function store(disk: SimulatedDisk, pid: number, failure: DiskFailure | null = null) {
  const user = disk.user(failure);
  const opened = fileStore(ROOT, {
    disk: user.disk,
    pid,
    identify: (wanted) => Promise.resolve(wanted === pid ? String(pid) : null),
    place: { host: "here", machine: "m", boot: "b", namespace: "n" },
  });
  return { ...opened, user };
}

describe("a save that has succeeded survives a power loss", () => {
  it("with its long texts, also when the run's folder was made by its lock", async () => {
    const disk = await unlucky();
    const one = store(disk, 1);
    await one.lock(ID);

    await one.save(LONG, 0);
    disk.losePower();

    expect(await store(disk, 2).load(ID)).toEqual(LONG);
  });

  it("also when another has made the folders, and died before their names were sure to stay", async () => {
    const disk = await unlucky();
    const other = disk.user();
    await other.disk.makeFolder(ROOT);
    other.kill();

    await store(disk, 1).save(LONG, 0);
    disk.losePower();

    expect(await store(disk, 2).load(ID)).toEqual(LONG);
  });

  it("wherever one has died before that was about to save the same long text", async () => {
    for (let at = 1; ; at += 1) {
      const disk = await unlucky();
      await store(disk, 1).save(run(), 0);
      const dying = store(disk, 2, { at, how: "die" });
      const saved = dying.save(LONG, 0).then(() => true);
      if (await Promise.race([saved, dying.user.dead])) break;

      await store(disk, 3).save({ ...LONG, steps: 1 }, 0);
      disk.losePower();

      expect(await store(disk, 4).load(ID)).toEqual({ ...LONG, steps: 1 });
    }
  });

  it("after a removal of the same run that the disk has refused", async () => {
    for (let at = 1; ; at += 1) {
      const disk = await unlucky();
      const one = store(disk, 1, { at, how: "EIO" });
      const steps: unknown[] = [];
      for (const work of [() => one.save(LONG, 0), () => one.remove(ID), () => one.save(LONG, 0)]) {
        steps.push(await work().catch((error: unknown) => error));
      }

      // Every rejection is a failure of the disk.
      const refused = steps.filter((each) => each !== undefined);
      for (const each of refused) expect(each).toMatchObject({ code: "store/disk" });
      if (steps[2] === undefined) expect(await store(disk, 2).load(ID)).toEqual(LONG);
      if (refused.length === 0 && at > 60) break;
    }
  });

  it("never leaves a partial .gitignore permanently, which would allow runs in git", async () => {
    for (let at = 1; ; at += 1) {
      const disk = await unlucky();
      const dying = store(disk, 1, { at, how: "die" });
      const saved = dying.save(run(), 0).then(() => true);
      const over = await Promise.race([saved, dying.user.dead]);

      await store(disk, 2).save(run(), 0);

      const text = await disk.user().disk.read(`${ROOT}/.gitignore`);
      expect(text.toString()).toMatch(/^\*\n!config\.toml\n$/m);
      const names = await disk.user().disk.names(ROOT);
      expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
      if (over === true) break;
    }
  });
});
