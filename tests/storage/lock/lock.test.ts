import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { processErrors } from "../../../src/process/errors.ts";
import { processHost } from "../../../src/process/platform/host.ts";
import { nodeDisk } from "../../../src/storage/disk.ts";
import { type HostIdentity, thisHost } from "../../../src/storage/lock/host-identity.ts";
import { claimLock, type LockEnvironment, lockHolder } from "../../../src/storage/lock/lock.ts";
import { failingDisk } from "../../support/disk/failing-disk.ts";
import { memoryDisk } from "../../support/disk/memory-disk.ts";
import { tempFolder } from "../../support/folders.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const HERE: HostIdentity = { host: "here", machine: "m", boot: "b", namespace: "n" };

/** A world in which the processes of this list live, each by its identity. */
function world(pid: number, alive: ReadonlyMap<number, string>, place = HERE): LockEnvironment {
  return {
    disk: nodeDisk(),
    place,
    pid,
    now: () => new Date("2026-11-21T10:30:00Z"),
    identify: (other) => Promise.resolve(alive.get(other) ?? null),
    lastActivityAt: () => Promise.resolve("2026-11-21T09:00:00.000Z"),
  };
}

/** The same world an hour after all that is written now. */
function later(now: LockEnvironment): LockEnvironment {
  return { ...now, now: () => new Date(Date.now() + 3_600_000) };
}

describe("the lock of a run", () => {
  it("is refused while its holder lives, with host, pid and start", async () => {
    const folder = await tempFolder();
    const alive = new Map([
      [1, "one"],
      [2, "two"],
    ]);
    await claimLock(world(1, alive), folder, "r1");

    await expect(claimLock(world(2, alive), folder, "r1")).rejects.toMatchObject({
      code: "store/run-locked",
      message: "Run r1 is locked by process 1 on here, started at 2026-11-21T10:30:00.000Z.",
    });
    expect(await readdir(folder)).toEqual(["lock.1"]);
  });

  it("is free if its holder is dead, or its pid belongs to another process", async () => {
    const folder = await tempFolder();
    await claimLock(world(1, new Map([[1, "one"]])), folder, "r1");

    await claimLock(world(2, new Map([[2, "two"]])), folder, "r1");
    const reused = new Map([
      [2, "two again"],
      [3, "three"],
    ]);
    await claimLock(world(3, reused), folder, "r1");

    expect(await readdir(folder)).toEqual(["lock.3"]);
    expect(await lockHolder(world(9, reused), folder, "r1")).toMatchObject({
      pid: 3,
      visible: true,
    });
  });

  it("never numbers a generation twice, also after a release", async () => {
    const folder = await tempFolder();
    const alive = new Map([[1, "one"]]);

    for (const number of [1, 2, 3]) {
      const lock = await claimLock(world(1, alive), folder, "r1");
      expect(await readdir(folder)).toEqual([`lock.${String(number)}`]);
      await lock.release();
      expect(await lockHolder(world(1, alive), folder, "r1")).toBeNull();
    }
    expect(await readdir(folder)).toEqual(["lock.3"]);
  });

  it.each<[string, HostIdentity]>([
    ["another host", { ...HERE, host: "there", boot: "other" }],
    ["another machine of the same name", { ...HERE, machine: "other" }],
    ["another container", { ...HERE, namespace: "other" }],
    ["an unknown machine that was booted since", { ...HERE, machine: null, boot: "other" }],
  ])("is respected when held on %s", async (_, place) => {
    const folder = await tempFolder();
    await claimLock(world(1, new Map([[1, "one"]]), place), folder, "r1");

    await expect(claimLock(world(2, new Map([[2, "two"]])), folder, "r1")).rejects.toMatchObject({
      code: "store/run-locked",
      hint: expect.stringContaining("raymond resume r1 --take-over") as string,
    });
    const here = world(2, new Map([[2, "two"]]));
    expect(await lockHolder(here, folder, "r1")).toMatchObject({ pid: 1, visible: false });
  });

  it("is free after a reboot of the same machine, whatever container held it", async () => {
    const folder = await tempFolder();
    const before = { ...HERE, boot: "before", namespace: "other" };
    await claimLock(world(1, new Map([[1, "one"]]), before), folder, "r1");

    await claimLock(world(2, new Map([[2, "two"]])), folder, "r1");

    expect(await readdir(folder)).toEqual(["lock.2"]);
  });

  it.each(["darwin", "linux"] as const)(
    "is respected by one who lives in another time zone, on %s",
    async (platform) => {
      const folder = await tempFolder();
      const { identify } = processHost(platform);
      await claimLock({ ...world(process.pid, new Map()), identify }, folder, "r1");

      vi.stubEnv("TZ", "XST-9");

      const other = { ...world(process.ppid, new Map()), identify };
      await expect(claimLock(other, folder, "r1")).rejects.toMatchObject({
        code: "store/run-locked",
      });
    },
  );

  it("is respected by a process that cannot see the holder", async () => {
    const folder = await tempFolder();
    await claimLock(world(1, new Map([[1, "one"]])), folder, "r1");
    const identify = (pid: number) =>
      pid === 1 ? Promise.reject(processErrors["process/no-table"]()) : Promise.resolve("two");

    await expect(
      claimLock({ ...world(2, new Map()), identify }, folder, "r1"),
    ).rejects.toMatchObject({ code: "process/no-table" });
    expect(await readdir(folder)).toEqual(["lock.1"]);
  });

  it("can be taken over once, on request, from a holder that is not visible", async () => {
    const folder = await tempFolder();
    const alive = new Map([
      [1, "one"],
      [2, "two"],
    ]);
    const elsewhere = { ...HERE, machine: "other" };
    const gone = await claimLock(world(1, alive, elsewhere), folder, "r1");

    const soon = { ...world(2, alive), now: () => new Date() };
    await expect(claimLock(soon, folder, "r1", true)).rejects.toMatchObject({
      code: "store/run-locked",
      holder: { pid: 1 },
    });
    const lock = await claimLock(later(world(2, alive)), folder, "r1", true);

    expect(lock.previousHolder).toEqual({
      host: "here",
      pid: 1,
      identity: "one",
      startedAt: "2026-11-21T10:30:00.000Z",
      visible: false,
      lastSeenAt: expect.any(String) as string,
    });
    expect(await lock.ensureHeld()).toBe(true);
    await expect(claimLock(world(1, alive), folder, "r1", true)).rejects.toMatchObject({
      code: "store/run-locked",
      holder: { pid: 2, visible: true },
    });
    // The word was wrong: it lives, and learns it at its next save.
    await expect(gone.ensureHeld()).rejects.toMatchObject({ code: "store/run-locked" });
    await gone.release();
    expect(await lockHolder(world(1, alive), folder, "r1")).toMatchObject({ pid: 2 });
  });

  it("is not taken over from a live process of this machine", async () => {
    const folder = await tempFolder();
    const alive = new Map([
      [1, "one"],
      [2, "two"],
    ]);
    await claimLock(world(1, alive), folder, "r1");

    await expect(claimLock(world(2, alive), folder, "r1", true)).rejects.toMatchObject({
      code: "store/run-locked",
      hint: "Wait for it to end, or stop it with: raymond stop r1",
    });
  });

  it("is taken over from a holder that is identified only by its pid", async () => {
    const folder = await tempFolder();
    const alive = new Map([
      [1, "1"],
      [2, "two"],
    ]);
    await claimLock(world(1, alive), folder, "r1");

    await expect(claimLock(world(2, alive), folder, "r1")).rejects.toMatchObject({
      hint: expect.stringContaining("--take-over") as string,
    });
    const lock = await claimLock(later(world(2, alive)), folder, "r1", true);

    expect(lock.previousHolder).toMatchObject({ pid: 1, visible: true });
  });

  it("has no previous holder if it is free", async () => {
    const folder = await tempFolder();
    await claimLock(world(1, new Map([[1, "one"]])), folder, "r1");

    const lock = await claimLock(world(2, new Map([[2, "two"]])), folder, "r1", true);

    expect(lock.previousHolder).toBeNull();
  });

  it("is taken over by one of several concurrent processes that cannot see each other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 4 }), async (scheduler, count) => {
        const turn = () => scheduler.schedule(Promise.resolve());
        let now = 0;
        const disk = memoryDisk(turn, () => now);
        const on = (pid: number): LockEnvironment => {
          const place = { ...HERE, machine: `m${String(pid)}` };
          const never = () => Promise.resolve(null);
          const alive = new Map([[pid, String(pid)]]);
          return {
            ...world(pid, alive, place),
            disk,
            lastActivityAt: never,
            now: () => new Date(now),
          };
        };
        await scheduler.waitFor(claimLock(on(99), "/r1", "r1"));
        now = 60_000;

        const claims = Array.from({ length: count }, (_, index) =>
          claimLock(on(index + 1), "/r1", "r1", true).then(
            () => "held",
            (error: unknown) => (error as { code?: string }).code,
          ),
        );
        const said = await scheduler.waitFor(Promise.all(claims));

        expect(said.filter((each) => each === "held")).toHaveLength(1);
        expect(said.filter((each) => each === "store/run-locked")).toHaveLength(count - 1);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("is respected if it is unreadable", async () => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, "lock.1"), "{");

    await expect(claimLock(world(1, new Map([[1, "one"]])), folder, "r1")).rejects.toMatchObject({
      code: "store/damaged-lock",
    });
  });

  it("has one holder at most, however the calls of claims, releases and deaths interleave", async () => {
    const fate = fc.constantFrom("release" as const, "die" as const, "remove" as const);
    const lives = fc.array(fc.array(fate, { minLength: 1, maxLength: 3 }), {
      minLength: 2,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), lives, async (scheduler, fates) => {
        const turn = () => scheduler.schedule(Promise.resolve());
        const disk = memoryDisk(turn);
        const alive = new Map<number, string>();
        const holders = new Set<number>();
        let held = 0;

        const live = async (pid: number, todo: readonly ("release" | "die" | "remove")[]) => {
          for (const [age, last] of todo.entries()) {
            alive.set(pid, `${String(pid)} in life ${String(age)}`);
            const lock = await claimLock({ ...world(pid, alive), disk }, "/r1", "r1").catch(
              () => null,
            );
            if (lock === null) continue;
            holders.add(pid);
            held += 1;
            expect([...holders]).toEqual([pid]);
            for (let time = 0; time < 10; time += 1) await turn();
            holders.delete(pid);
            if (last === "release") await lock.release();
            if (last === "remove") await lock.removeWithRun();
            if (last === "die") alive.delete(pid);
          }
        };
        await scheduler.waitFor(Promise.all(fates.map((todo, index) => live(index + 1, todo))));

        expect(held).toBeGreaterThan(0);
        const names = await scheduler.waitFor(disk.names("/r1"));
        expect(names.filter((name) => name.startsWith("claim."))).toEqual([]);
        expect(names.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it.each(["after a handover", "after the run was removed"])(
    "is refused to one who looked long ago, %s",
    async (what) => {
      const folder = await tempFolder();
      const alive = new Map([1, 2, 3, 4].map((pid) => [pid, String(pid)]));
      for (const pid of [1, 1, 1]) {
        await (await claimLock(world(pid, alive), folder, "r1")).release();
      }
      let looked: () => void = () => undefined;
      const hasLooked = new Promise<void>((resolve) => (looked = resolve));
      let continueLink: () => void = () => undefined;
      const mayLink = new Promise<void>((resolve) => (continueLink = resolve));
      const real = nodeDisk();
      const slow = {
        ...real,
        link: async (file: string, name: string) => {
          looked();
          await mayLink;
          await real.link(file, name);
        },
      };
      const late = claimLock({ ...world(4, alive), disk: slow }, folder, "r1").catch(
        (error: unknown) => error,
      );
      await hasLooked;

      const between = await claimLock(world(2, alive), folder, "r1");
      if (what === "after a handover") await between.release();
      else await between.removeWithRun();
      await claimLock(world(3, alive), folder, "r1");
      continueLink();

      expect(await late).toMatchObject({ code: "store/run-locked", holder: { pid: 3 } });
      expect(await lockHolder(world(1, alive), folder, "r1")).toMatchObject({ pid: 3 });
    },
  );

  it("is never half there, whichever call to the disk fails", async () => {
    const alive = new Map([
      [1, "one"],
      [2, "two"],
    ]);
    for (let nth = 1; ; nth += 1) {
      const folder = await tempFolder();
      await (await claimLock(world(1, alive), folder, "r1")).release();
      const failing = failingDisk(nth, "EIO");

      const lock = await claimLock({ ...world(1, alive), disk: failing.disk }, folder, "r1").catch(
        () => null,
      );

      if (lock === null) {
        // A claim that failed is no lock, or one that goes with its process.
        alive.delete(1);
        await (await claimLock(world(2, alive), folder, "r1")).release();
        alive.set(1, "one");
      } else {
        await expect(claimLock(world(2, alive), folder, "r1")).rejects.toThrow(
          "locked by process 1",
        );
      }
      if (failing.calls() < nth) break;
    }
  });

  it("identifies this process by its real location", async () => {
    const place = await thisHost();

    expect(place.host).not.toBe("");
    expect(await thisHost()).toEqual(place);
  });
});

const running: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(
    running.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    }),
  );
});

describe("the lock between real processes", () => {
  it("is acquired by exactly one of twenty processes, and by another each time the holder is killed", async () => {
    const { root, start } = await racers();

    const all = await Promise.all(Array.from({ length: 20 }, start));
    for (const round of [1, 2, 3]) {
      for (const { child } of all) child.stdin?.write("go\n");
      const said = await Promise.all(all.map(({ line }) => line()));
      const winner = all.find((_, index) => said[index] === "locked");
      expect(said.filter((each) => each === "store/run-locked")).toHaveLength(all.length - 1);
      const names = await readdir(path.join(root, "runs", "r1"));
      expect(names).toEqual([`lock.${String(round)}`]);

      if (winner === undefined) throw new Error("No process won");
      all.splice(all.indexOf(winner), 1);
      winner.child.kill("SIGKILL");
      await once(winner.child, "exit");
    }
  });
});

interface Racer {
  readonly child: ChildProcess;
  readonly line: () => Promise<string>;
}

/** Processes that claim the run `r1` on request, and report the result. */
async function racers(): Promise<{ root: string; start: () => Promise<Racer> }> {
  const folder = await tempFolder();
  const root = path.join(folder, ".raymond");
  const script = path.join(folder, "racer.mjs");
  const source = path.join(import.meta.dirname, "..", "..", "..", "src", "storage", "file.ts");
  await build({
    stdin: {
      contents: `
        import { fileStore } from ${JSON.stringify(source)};
        const store = fileStore(${JSON.stringify(root)});
        process.stdin.on("data", async () => {
          const said = await store.lock("r1").then(() => "locked", (error) => error.code ?? String(error));
          console.log(said);
        });
        setInterval(() => {}, 1e6);
        console.log("ready");
      `,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  await mkdir(root);
  expect(await readFile(script, "utf8")).toContain("fileStore");
  const start = async (): Promise<Racer> => {
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
    running.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const line = async () => String((await lines.next()).value);
    expect(await line()).toBe("ready");
    return { child, line };
  };
  return { root, start };
}
