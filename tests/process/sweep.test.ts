import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { thisPlatform } from "../../src/process/platforms.ts";
import { readStat } from "../../src/process/proc-table.ts";
import { startProcess } from "../../src/process/run-process.ts";
import { endProcesses, findProcesses } from "../../src/process/sweep.ts";
import { windows } from "../../src/process/windows.ts";
import { bashCall } from "../support/bash-call.ts";
import { describeNeeds, ENVIRONMENTS } from "../support/needs.ts";
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

    const found = await findProcesses(table, token.replace(/1$/, ""));

    const commands = found.map(({ command }) => command).sort();
    expect(commands).toEqual(["sleep 300", "sleep 301"]);
    expect(found.find((one) => one.pid === pid)?.startTicks).toBe(readStat(pid)?.startTicks);
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

  it("looks at no process that is older than the elder, if it is given one", async () => {
    const older = await started("echo ready $$; exec sleep 300");
    await until("the clock to go on", () => {
      return Promise.resolve(ticksNow() > Number(readStat(older.pid)?.startTicks) || undefined);
    });
    const younger = await started("echo ready $$; exec sleep 301");

    expect(await findProcesses(table, older.token, { elder: younger.pid })).toEqual([]);
    expect(await findProcesses(table, younger.token, { elder: younger.pid })).toHaveLength(1);
    expect(await findProcesses(table, older.token, { elder: older.pid })).toHaveLength(1);
    expect(await findProcesses(table, younger.token, { elder: older.pid })).toHaveLength(1);

    for (const { token, done } of [older, younger]) {
      await endProcesses(table, await findProcesses(table, token), { graceMs: 0 });
      await done;
    }
  });

  it("finds nothing on Windows, where there is nothing to look at", async () => {
    const { done, token } = await started("echo ready $$; exec sleep 300");

    expect(await findProcesses(windows.table, token)).toEqual([]);
    await endProcesses(table, await findProcesses(table, token), { graceMs: 0 });
    await done;
  });
});

describeNeeds(ENVIRONMENTS, "endProcesses", () => {
  it("lets a process end by SIGTERM in its own way", async () => {
    const { done, token } = await started(
      "trap 'exit 7' TERM; echo ready $$; while :; do sleep 0.01; done",
    );

    const left = await endProcesses(table, await findProcesses(table, token), { graceMs: 10_000 });

    expect(left).toEqual([]);
    expect(await done).toMatchObject({ exitCode: 7, ended: false });
  });

  it("kills a process that takes no notice of SIGTERM", async () => {
    const { done, token } = await started(
      "trap '' TERM; echo ready $$; while :; do sleep 0.01; done",
    );

    const left = await endProcesses(table, await findProcesses(table, token), { graceMs: 100 });

    expect(left).toEqual([]);
    expect(await done).toMatchObject({ signal: "SIGKILL" });
  });

  it("never touches a process that has only the pid of the one found", async () => {
    const { pid, done, token } = await started("echo ready $$; exec sleep 300");
    const other = { pid, startTicks: "1", command: "another one, long dead" };

    expect(await endProcesses(table, [other], { graceMs: 50 })).toEqual([]);
    expect(readStat(pid)).not.toBeNull();
    await endProcesses(table, await findProcesses(table, token), { graceMs: 0 });
    await done;
  });

  it("has nothing to do where nothing was found", async () => {
    expect(await endProcesses(table, [], { graceMs: 10_000 })).toEqual([]);
  });
});
