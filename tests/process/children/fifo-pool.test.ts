import { closeSync, watch } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ProcessCall } from "../../../src/engine/ports/process.ts";
import { fifoPool, type Pipe } from "../../../src/process/children/fifo-pool.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { spawnChild } from "../../../src/process/children/spawn-child.ts";
import { endProcesses, findProcesses } from "../../../src/process/find-processes.ts";
import { thisPlatform } from "../../../src/process/platform/platforms.ts";
import { tempFolder } from "../../support/folders.ts";
import { describeNeeds, PROC } from "../../support/needs.ts";
import { bashCall } from "../../support/process/bash-call.ts";

const { table } = thisPlatform;

/** Starts processes on a pool of the test's own: other test files of this process open pipes too. */
async function ownPool() {
  const folder = await tempFolder();
  const pool = fifoPool([folder]);
  const platform = {
    ...thisPlatform,
    spawn: (call: ProcessCall) => spawnChild(call, false, pool),
  };
  return {
    start: (call: ProcessCall) => startProcess(call, { platform }).done,
    /** The number of descriptors of the pool that are open. */
    openPipes: async (): Promise<number> => {
      const names = await readdir("/proc/self/fd");
      const links = await Promise.all(
        names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")),
      );
      return links.filter((link) => link.startsWith(folder)).length;
    },
  };
}

describeNeeds(PROC, "outputs that can be opened by name", () => {
  it("receive what is written by > /dev/stdout, tee /dev/stderr and /proc/self/fd, in order", async () => {
    const text =
      "echo a; echo b | tee /dev/stderr; echo c >/dev/stdout; echo d >>/dev/stderr; echo e >/proc/self/fd/2; exit 3";
    const bash = bashCall(text, { reopenable: true });

    const end = await startProcess(bash.call).done;

    expect(end).toMatchObject({ exitCode: 3, leftOpen: false });
    expect([bash.stdout(), bash.stderr()]).toEqual(["a\nb\nc\n", "b\nd\ne\n"]);
  });

  it("lose nothing of an output that is larger than any pipe", async () => {
    const bash = bashCall("head -c 20000000 /dev/zero | tr '\\0' x; echo end >&2", {
      reopenable: true,
    });

    await startProcess(bash.call).done;

    expect(bash.stdout()).toHaveLength(20_000_000);
    expect(bash.stderr()).toBe("end\n");
  });

  it("close soon after the exit although a background child holds them, and it keeps running", async () => {
    const bash = bashCall("(trap '' PIPE; while :; do echo on; sleep 0.02; done) & echo out", {
      reopenable: true,
    });

    const end = await startProcess(bash.call, { drainMs: 100 }).done;

    expect(end).toMatchObject({ exitCode: 0, leftOpen: true });
    const left = await findProcesses(table, bash.token);
    expect(left.length).toBeGreaterThan(0);
    await endProcesses(table, left, { graceMs: 0 });
  });

  it("are separate for many concurrent children, and leak no descriptor", async () => {
    const { start, openPipes } = await ownPool();
    const calls = Array.from({ length: 80 }, (_, n) =>
      bashCall(`echo ${String(n)}; echo e${String(n)} >/dev/stderr`, { reopenable: true }),
    );

    await Promise.all(calls.map(({ call }) => start(call)));

    expect(calls.map((bash) => bash.stdout())).toEqual(calls.map((_, n) => `${String(n)}\n`));
    expect(calls.map((bash) => bash.stderr())).toEqual(calls.map((_, n) => `e${String(n)}\n`));
    // The pool keeps unused descriptors for later calls: less than one batch.
    expect(await openPipes()).toBeLessThan(64);
  });

  it("release both descriptors if the program cannot be started", async () => {
    const { start, openPipes } = await ownPool();
    await start(bashCall("", { reopenable: true }).call);
    const before = await openPipes();
    const { call } = bashCall("", { command: "/no/such", reopenable: true });

    expect((await start(call)).spawnError?.code).toBe("ENOENT");

    expect(before).toBeGreaterThan(0);
    expect(await openPipes()).toBe(before - 2);
  });
});

describeNeeds(PROC, "fifoPool", () => {
  it("creates pipes for the owner only, and never returns one twice", async () => {
    const pool = fifoPool();
    const taken = [...((await pool.take(2)) ?? []), ...((await pool.take(70)) ?? [])];
    onTestFinished(() => {
      taken.forEach(closePipe);
    });

    const found = await Promise.all(
      taken.map(({ readEnd }) => stat(`/proc/self/fd/${String(readEnd)}`)),
    );

    expect(new Set(found.map(({ ino }) => ino)).size).toBe(72);
    expect(found.every((one) => one.isFIFO() && (one.mode & 0o777) === 0o600)).toBe(true);
  });

  it("leaves no file, in the first existing folder", async () => {
    const folder = await tempFolder();
    const watcher = watch(folder);
    onTestFinished(() => {
      watcher.close();
    });
    const seen: unknown[] = [];
    watcher.on("change", (_, name) => seen.push(name));

    const taken = await fifoPool(["/no/such", folder]).take(2);

    taken?.forEach(closePipe);
    expect(taken).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
    await vi.waitFor(() => {
      expect(seen).not.toEqual([]);
    });
  });

  it("returns null without a folder", async () => {
    expect(await fifoPool(["/no/such"]).take(2)).toBeNull();
  });

  it("returns null without mkfifo, so that sockets are used", async () => {
    vi.stubEnv("PATH", "/nowhere");

    expect(await fifoPool().take(2)).toBeNull();
  });
});

function closePipe({ readEnd, writeEnd }: Pipe): void {
  closeSync(readEnd);
  closeSync(writeEnd);
}
