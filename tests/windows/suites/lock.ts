import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  hasSignalPipe,
  isPipeIdentity,
  openSignalPipe,
  signalByPipe,
} from "../../../src/process/children/signal-pipe.ts";
import { processHost } from "../../../src/process/platform/host.ts";
import { fileStore } from "../../../src/storage/file.ts";
import { tempFolder } from "../../support/folders.ts";
import { run } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const ID = run().id;

describe("the identity of a process", () => {
  const { identify } = processHost();

  it("is stable for this process", async () => {
    const mine = (await identify(process.pid, null)) ?? "";

    expect(isPipeIdentity(mine)).toBe(true);
    expect(await identify(process.pid, null)).toBe(mine);
    expect(await identify(process.pid, mine)).toBe(mine);
  });

  it("differs for a process that had the same pid before", async () => {
    const before = `${String(process.pid)}:00000000-0000-4000-8000-000000000000`;

    expect(await identify(process.pid, before)).toBeNull();
  });

  it("is fast", async () => {
    const mine = await openSignalPipe();
    const asked = performance.now();

    for (let n = 0; n < 20; n += 1) expect(await hasSignalPipe(mine)).toBe(true);

    expect((performance.now() - asked) / 20).toBeLessThan(50);
  });
});

describe("a signal by a pipe", () => {
  it("reaches its process", async () => {
    const mine = await openSignalPipe();
    const received = once(process, "SIGTERM");

    expect(await signalByPipe(mine, "SIGTERM")).toBe("delivered");
    expect(await received).toEqual(["SIGTERM"]);
  });

  it("finds no process after its end", async () => {
    expect(await signalByPipe("1:00000000-0000-4000-8000-000000000000", "SIGTERM")).toBe("gone");
  });
});

describe("the lock of a run", () => {
  it("is free as soon as its holder was killed", async () => {
    const root = path.join(await tempFolder(), ".raymond");
    const holder = await holderOf(root);

    await expect(fileStore(root).lock(ID)).rejects.toMatchObject({ code: "store/run-locked" });
    expect(await fileStore(root).holder(ID)).toMatchObject({ pid: holder.pid, visible: true });
    holder.kill("SIGKILL");
    await once(holder, "exit");

    expect(await fileStore(root).holder(ID)).toBeNull();
    await (await fileStore(root).lock(ID)).release();
  });

  it("is free where its pid is another process by now", async () => {
    const root = path.join(await tempFolder(), ".raymond");
    const holder = await holderOf(root);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await changeLock(root, (lock) => ({
      ...lock,
      pid: process.pid,
      identity: lock.identity.replace(/^\d+/, String(process.pid)),
    }));

    expect(await fileStore(root).holder(ID)).toBeNull();
  });

  it("is held if its holder is known only by a living pid", async () => {
    const root = path.join(await tempFolder(), ".raymond");
    await (await fileStore(root).lock(ID)).release();
    await changeLock(root, (lock) => ({
      ...lock,
      pid: process.pid,
      identity: String(process.pid),
      released: false,
    }));

    await expect(fileStore(root).lock(ID)).rejects.toMatchObject({ code: "store/run-locked" });
  });
});

interface Lock {
  readonly pid: number;
  readonly identity: string;
  readonly released: boolean;
}

async function changeLock(root: string, change: (lock: Lock) => Lock): Promise<void> {
  const folder = path.join(root, "runs", ID);
  const name = (await readdir(folder)).find((each) => each.startsWith("lock.")) ?? "";
  const file = path.join(folder, name);
  await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, "utf8")) as Lock)));
}

/** Another process that holds the run: this bundle again, selected by a variable. */
async function holderOf(root: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [process.argv[1] ?? ""], {
    env: { ...process.env, HOLD: root },
    stdio: "ignore",
  });
  await until("it to hold the run", async () => (await fileStore(root).holder(ID)) ?? undefined);
  return child;
}

const hold = process.env["HOLD"];
if (hold !== undefined) {
  await fileStore(hold).lock(ID);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
