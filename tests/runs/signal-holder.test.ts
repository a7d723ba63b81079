import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LockHolder } from "../../src/ports/store.ts";
import { isFreeWithin, signalHolder } from "../../src/runs/wire/signal-holder.ts";

function child(): ChildProcess & { readonly pid: number } {
  const started = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  onTestFinished(() => void started.kill("SIGKILL"));
  if (started.pid === undefined) throw new Error("no child");
  return started as ChildProcess & { readonly pid: number };
}

function holder(pid: number, changes: Partial<LockHolder> = {}): LockHolder {
  const startedAt = "2026-11-21T10:30:00.000Z";
  return {
    pid,
    host: "here",
    identity: String(pid),
    startedAt,
    visible: true,
    heardAt: startedAt,
    ...changes,
  };
}

const held = (now: LockHolder | null) => ({ holder: () => Promise.resolve(now) });

describe("signalHolder", () => {
  it("signals the process that holds the run", async () => {
    const living = child();
    const ended = once(living, "exit");

    expect(await signalHolder(held(holder(living.pid)), "r", "SIGTERM", holder(living.pid))).toBe(
      true,
    );

    expect((await ended)[1]).toBe("SIGTERM");
  });

  it.each<[string, (pid: number) => LockHolder | null]>([
    ["nobody holds it any more", () => null],
    ["another process holds it", () => holder(process.pid)],
    ["the same pid holds it anew", (pid) => holder(pid, { startedAt: "2026-11-21T11:00:00.000Z" })],
  ])("leaves a process alone when %s", async (_, now) => {
    const living = child();

    const sent = await signalHolder(held(now(living.pid)), "r", "SIGKILL", holder(living.pid));

    expect(sent).toBe(false);
    expect(living.kill(0)).toBe(true);
  });

  it("refuses a holder that cannot be seen from here, whoever has its pid here", async () => {
    const living = child();
    const there = holder(living.pid, { host: "there", visible: false });

    await expect(signalHolder(held(there), "r", "SIGKILL", there)).rejects.toMatchObject({
      code: "run/out-of-reach",
      message: expect.stringContaining("on there") as unknown,
    });
    expect(living.kill(0)).toBe(true);
  });

  it("is told when the process ends between the look and the signal", async () => {
    const living = child();
    const ended = once(living, "exit");
    living.kill("SIGKILL");
    await ended;

    const gone = holder(living.pid);
    expect(await signalHolder(held(gone), "r", "SIGTERM", gone)).toBe(false);
  });
});

describe("isFreeWithin", () => {
  it("sees a run become free, or go to another, and gives up after its time", async () => {
    let asked = 0;
    const mine = holder(1);
    const holderNow = () => {
      asked += 1;
      return Promise.resolve(asked > 2 ? null : mine);
    };
    const freed = { holder: holderNow };

    expect(await isFreeWithin(freed, "r", mine, 5_000)).toBe(true);
    expect(await isFreeWithin(held(holder(2)), "r", mine, 5_000)).toBe(true);
    expect(await isFreeWithin(held(mine), "r", mine, 30)).toBe(false);
  });
});
