import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LockHolder } from "../../../src/engine/ports/store.ts";
import { isFreeWithin, sendRequest } from "../../../src/run/control/control-requests.ts";
import { folderRuns } from "../../../src/wire/folder-runs.ts";
import { tempFolder } from "../../support/folders.ts";

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
    lastSeenAt: startedAt,
    ...changes,
  };
}

/** A state folder whose run `r` has this holder. */
async function heldBy(now: LockHolder | null) {
  const root = path.join(await tempFolder(), ".raymond");
  const source = { ...folderRuns(root), holder: () => Promise.resolve(now) };
  const requests = path.join(root, "runs", "r", "requests");
  return { source, pending: () => readdir(requests).catch(() => []) };
}

const RETRY = { retry: "now" } as const;
const INTERRUPT = { stop: "interrupt" } as const;
const KILL = { stop: "kill" } as const;

describe("a request to the holder of a run in a state folder", () => {
  it.each([
    [INTERRUPT, "SIGTERM"],
    [KILL, "SIGKILL"],
    [RETRY, "SIGUSR2"],
  ] as const)("%j sends %s", async (request, signal) => {
    const living = child();
    const ended = once(living, "exit");
    const { source, pending } = await heldBy(holder(living.pid));

    const withdraw = await sendRequest(source, "r", holder(living.pid), request);

    expect((await ended)[1]).toBe(signal);
    expect(await pending()).toHaveLength(request === RETRY ? 1 : 0);
    await withdraw?.();
    expect(await pending()).toEqual([]);
  });

  it.each<[string, (pid: number) => LockHolder | null]>([
    ["no process holds it any more", () => null],
    ["another process holds it", () => holder(process.pid)],
    [
      "the same pid holds another lock",
      (pid) => holder(pid, { startedAt: "2026-11-21T11:00:00.000Z" }),
    ],
  ])("signals no process if %s", async (_, now) => {
    const living = child();
    const { source } = await heldBy(now(living.pid));

    expect(await sendRequest(source, "r", holder(living.pid), KILL)).toBeNull();
    expect(living.kill(0)).toBe(true);
  });

  it("is refused for a holder on another machine, even if its pid exists here", async () => {
    const living = child();
    const there = holder(living.pid, { host: "there", visible: false });
    const { source } = await heldBy(there);

    await expect(sendRequest(source, "r", there, KILL)).rejects.toMatchObject({
      code: "run/out-of-reach",
      message: expect.stringContaining("on there") as unknown,
    });
    expect(living.kill(0)).toBe(true);
  });

  it.each([INTERRUPT, RETRY])(
    "%j leaves nothing behind if the holder has died",
    async (request) => {
      const living = child();
      const ended = once(living, "exit");
      living.kill("SIGKILL");
      await ended;
      const gone = holder(living.pid);
      const { source, pending } = await heldBy(gone);

      expect(await sendRequest(source, "r", gone, request)).toBeNull();
      expect(await pending()).toEqual([]);
    },
  );
});

describe("isFreeWithin", () => {
  it("reports a release, a new holder, and a timeout", async () => {
    let asked = 0;
    const mine = holder(1);
    const freed = {
      holder: () => {
        asked += 1;
        return Promise.resolve(asked > 2 ? null : mine);
      },
    };
    const held = (now: LockHolder) => ({ holder: () => Promise.resolve(now) });

    expect(await isFreeWithin(freed, "r", mine, 5_000)).toBe(true);
    expect(await isFreeWithin(held(holder(2)), "r", mine, 5_000)).toBe(true);
    expect(await isFreeWithin(held(mine), "r", mine, 30)).toBe(false);
  });
});
