import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { processHost } from "../../../src/process/platform/host.ts";
import { itNeeds, PROC } from "../../support/needs.ts";
import { bashCall } from "../../support/process/bash-call.ts";
import { processRow } from "../../support/process/process-rows.ts";
import { until } from "../../support/until.ts";

describe("the identity of a process", () => {
  const { identify } = processHost();

  it("is stable, and different for another process", async () => {
    const mine = await identify(process.pid, null);

    expect(mine).toMatch(new RegExp(`(^|:)${String(process.pid)}:`));
    expect(await identify(process.pid, null)).toBe(mine);
    expect(await identify(process.ppid, null)).not.toBe(mine);
  });

  it("is null for a process that has ended", async () => {
    const bash = bashCall("echo $$");
    const running = startProcess(bash.call);
    const pid = Number(await bash.said(/\d+/));
    await running.done;

    expect(await identify(pid, null)).toBeNull();
  });

  it("is null for a zombie", async () => {
    const bash = bashCall(
      "(until [[ $(ps -o comm= -p $$) == *sleep ]]; do :; done) & echo $!; exec sleep 300",
    );
    const running = startProcess(bash.call);
    const zombie = Number(await bash.said(/\d+/));
    await until("it to be a zombie", async () => (await processRow(zombie)) === null || undefined);

    expect(await identify(zombie, null)).toBeNull();
    expect(await processHost("darwin").identify(zombie, null)).toBeNull();
    bash.cancellation.killNow();
    await running.done;
  });

  itNeeds(PROC, "handles parentheses in a command's name", async () => {
    const dir = await mkdtemp(join(tmpdir(), "raymond-test-"));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const command = join(dir, "a) Z 1 (b");
    await symlink("/bin/sleep", command);
    const bash = bashCall(`'${command}' 300 & echo $!; wait`);
    const running = startProcess(bash.call);
    const pid = Number(await bash.said(/\d+/));

    expect(await identify(pid, null)).toMatch(/:\d+:\d+$/);
    bash.cancellation.killNow();
    await running.done;
  });

  it.each([0, -1, 1.5, Number.NaN])("is null for %s, which is not a pid", async (pid) => {
    expect(await identify(pid, null)).toBeNull();
  });

  it("is the pid alone on Windows without a pipe, and pid and start with ps", async () => {
    const pid = String(process.pid);

    expect(await processHost("win32").identify(process.ppid, null)).toBe(String(process.ppid));
    expect(await processHost("win32").identify(process.pid, pid)).toBe(pid);
    expect(await processHost("darwin").identify(process.pid, null)).toMatch(
      new RegExp(`^${pid}:\\w{3} \\w{3} .* \\d{4}$`),
    );
  });
});
