import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { startProcess } from "../../src/process/children/run-process.ts";
import { endProcesses, findProcesses } from "../../src/process/find-processes.ts";
import { thisPlatform } from "../../src/process/platform/platforms.ts";
import { readStat } from "../../src/process/platform/proc-table.ts";
import { windows } from "../../src/process/platform/windows.ts";
import { describeNeeds, ENVIRONMENTS } from "../support/needs.ts";
import { bashCall } from "../support/process/bash-call.ts";
import { until } from "../support/until.ts";

const { table } = thisPlatform;

/** What bash of this text has left, after it said `ready` and a pid. */
async function started(text: string) {
  const bash = bashCall(text);
  const { done } = startProcess(bash.call);
  const pid = Number(/\d+/.exec(await bash.said(/ready \d+/))?.[0]);
  return { pid, done, token: bash.token };
}

/** Ticks since the boot; there are a hundred a second. */
function ticksNow(): number {
  return Math.floor(Number(readFileSync("/proc/uptime", "utf8").split(" ", 1)) * 100);
}

describeNeeds(ENVIRONMENTS, "findProcesses", () => {
  it("finds what carries the token, and what descends from it without the token", async () => {
    const { pid, done, token } = await started("env -i sleep 300 & echo ready $!; exec sleep 301");

    // Until both have called exec, the table shows bash.
    const found = await until("sleep 300 and sleep 301", async () => {
      const processes = await findProcesses(table, token.replace(/1$/, ""));
      const commands = processes.map(({ command }) => command).sort();
      return commands.join() === "sleep 300,sleep 301" ? processes : undefined;
    });

    expect(found.find((one) => one.pid === pid)?.startTicks).toBe(readStat(pid)?.startTicks);
    expect(await endProcesses(table, found, { graceMs: 0 })).toEqual([]);
    await done;
  });

  it("finds what is only in the process group of what carries the token", async () => {
    const { done, token } = await started("(env -i sleep 300 &); echo ready $$; exec sleep 301");

    const found = await until("sleep 300 and sleep 301", async () => {
      const processes = await findProcesses(table, token.replace(/1$/, ""));
      const commands = processes.map(({ command }) => command).sort();
      return commands.join() === "sleep 300,sleep 301" ? processes : undefined;
    });

    expect(await endProcesses(table, found, { graceMs: 0 })).toEqual([]);
    await done;
  });

  it("leaves zombies out", async () => {
    const { pid, done, token } = await started(
      "(until [[ $(< /proc/$$/comm) == sleep ]]; do :; done) & echo ready $!; exec sleep 300",
    );

    await until("it to be a zombie", async () =>
      (await readFile(`/proc/${String(pid)}/stat`, "utf8")).includes(") Z ") ? true : undefined,
    );
    const found = await findProcesses(table, token);

    expect(found).toMatchObject([{ command: "sleep 300" }]);
    expect(found[0]?.pid).not.toBe(pid);
    await endProcesses(table, found, { graceMs: 0 });
    await done;
  });

  it("skips processes that are older than the given one", async () => {
    const older = await started("echo ready $$; exec sleep 300");
    await until("the clock to advance", () => {
      return Promise.resolve(ticksNow() > Number(readStat(older.pid)?.startTicks) || undefined);
    });
    const younger = await started("echo ready $$; exec sleep 301");

    expect(await findProcesses(table, older.token, { oldest: younger.pid })).toEqual([]);
    expect(await findProcesses(table, younger.token, { oldest: younger.pid })).toHaveLength(1);
    expect(await findProcesses(table, older.token, { oldest: older.pid })).toHaveLength(1);
    expect(await findProcesses(table, younger.token, { oldest: older.pid })).toHaveLength(1);

    for (const { token, done } of [older, younger]) {
      await endProcesses(table, await findProcesses(table, token), { graceMs: 0 });
      await done;
    }
  });

  it("finds nothing on Windows without groups", async () => {
    const { done, token } = await started("echo ready $$; exec sleep 300");

    expect(await findProcesses(windows.table, token)).toEqual([]);
    await endProcesses(table, await findProcesses(table, token), { graceMs: 0 });
    await done;
  });
});

describeNeeds(ENVIRONMENTS, "endProcesses", () => {
  it("lets a process clean up on SIGTERM", async () => {
    const { done, token } = await started(
      "trap 'exit 7' TERM; echo ready $$; while :; do sleep 0.01; done",
    );

    const left = await endProcesses(table, await findProcesses(table, token), { graceMs: 10_000 });

    expect(left).toEqual([]);
    expect(await done).toMatchObject({ exitCode: 7, endedByRaymond: false });
  });

  it("kills a process that ignores SIGTERM", async () => {
    const { done, token } = await started(
      "trap '' TERM; echo ready $$; while :; do sleep 0.01; done",
    );

    const left = await endProcesses(table, await findProcesses(table, token), { graceMs: 100 });

    expect(left).toEqual([]);
    expect(await done).toMatchObject({ signal: "SIGKILL" });
  });

  it("never signals a process that reused the pid", async () => {
    const { pid, done, token } = await started("echo ready $$; exec sleep 300");
    const other = { pid, startTicks: "1", command: "another one, long dead" };

    expect(await endProcesses(table, [other], { graceMs: 50 })).toEqual([]);
    expect(readStat(pid)).not.toBeNull();
    await endProcesses(table, await findProcesses(table, token), { graceMs: 0 });
    await done;
  });

  it("does nothing without processes", async () => {
    expect(await endProcesses(table, [], { graceMs: 10_000 })).toEqual([]);
  });
});
