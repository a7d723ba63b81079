import { randomUUID } from "node:crypto";
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { type ProcessCall, TOKEN_VARIABLE } from "../../src/engine/ports/process.ts";
import { startProcess } from "../../src/process/children/run-process.ts";
import { findProcesses } from "../../src/process/find-processes.ts";
import { thisPlatform } from "../../src/process/platform/platforms.ts";
import { otherUnix } from "../../src/process/platform/unix.ts";
import { cancellation } from "../support/cancellation.ts";
import { ENVIRONMENTS, itNeeds } from "../support/needs.ts";
import { bashCall } from "../support/process/bash-call.ts";
import { OWN_SESSION, processRow } from "../support/process/process-rows.ts";
import { until } from "../support/until.ts";

const { table } = thisPlatform;

const DEAF = "trap '' INT TERM; echo ready; while :; do sleep 1; done";
const TALKER =
  "trap 'echo INT' INT; trap 'echo TERM' TERM; echo ready; while :; do sleep 0.01; done";

describe("terminating a process", () => {
  it("uses SIGINT if the process accepts it, and gives it time to clean up", async () => {
    const bash = bashCall("trap 'echo cleaned; exit 7' INT; echo ready; while :; do sleep 1; done");
    const running = startProcess(bash.call);
    await bash.said(/ready/);

    bash.cancellation.interruptNow();

    expect(await running.done).toMatchObject({ exitCode: 7, endedByRaymond: true });
    expect(bash.stdout()).toContain("cleaned");
  });

  it("comes by SIGINT, SIGTERM and SIGKILL in this order, a pause between them", async () => {
    const bash = bashCall(TALKER);
    const running = startProcess(bash.call, { rungMs: 600 });
    await bash.said(/ready/);

    running.end();
    running.end();

    expect(await running.done).toMatchObject({ signal: "SIGKILL", endedByRaymond: true });
    expect(bash.stdout()).toBe("ready\nINT\nTERM\n");
  });

  it("comes by way of ps where there is no /proc, to what left its group without the token too", async () => {
    const bash = bashCall(`env -i ${OWN_SESSION} sleep 300 & echo ready $!; exec sleep 301`);
    const running = startProcess(bash.call, { rungMs: 600, platform: otherUnix });
    const apart = Number(/\d+/.exec(await bash.said(/ready \d+/))?.[0]);
    await until("it to have a session of its own", async () => {
      return (await processRow(apart))?.group === apart || undefined;
    });

    running.end();

    expect(await running.done).toMatchObject({ signal: "SIGINT", endedByRaymond: true });
    expect(await processRow(apart)).toBeNull();
  });

  it("takes at most four seconds if the process ignores SIGINT and SIGTERM", async () => {
    const bash = bashCall(DEAF);
    const running = startProcess(bash.call);
    await bash.said(/ready/);
    const asked = performance.now();

    bash.cancellation.interruptNow();

    expect(await running.done).toMatchObject({
      signal: "SIGKILL",
      endedByRaymond: true,
      leftOpen: false,
    });
    expect(performance.now() - asked).toBeGreaterThan(3_900);
    expect(performance.now() - asked).toBeLessThan(30_000);
  });

  it("kills at once on request", async () => {
    const bash = bashCall(TALKER);
    const running = startProcess(bash.call);
    await bash.said(/ready/);

    bash.cancellation.killNow();

    expect(await running.done).toMatchObject({ signal: "SIGKILL", endedByRaymond: true });
    expect(bash.stdout()).toBe("ready\n");
  });

  it("kills at once when the second Ctrl-C follows the first", async () => {
    const bash = bashCall(DEAF);
    const running = startProcess(bash.call, { rungMs: 600_000 });
    await bash.said(/ready/);

    bash.cancellation.interruptNow();
    bash.cancellation.killNow();

    expect(await running.done).toMatchObject({ signal: "SIGKILL", endedByRaymond: true });
  });

  it("includes a grandchild in a session of its own", async () => {
    const bash = bashCall(`${OWN_SESSION} sleep 300 & echo $!; wait`);
    const running = startProcess(bash.call);
    const grandchild = Number(await bash.said(/\d+/));

    bash.cancellation.interruptNow();
    const end = await running.done;

    expect(end).toMatchObject({ endedByRaymond: true, leftOpen: false });
    expect(await processRow(grandchild)).toBeNull();
  });

  it.each(["interruptNow", "killNow"] as const)(
    "includes a grandchild that has cleared its environment (%s)",
    async (way) => {
      const bash = bashCall(`env -i ${OWN_SESSION} sleep 300 >/dev/null 2>&1 & echo $!; wait`);
      const running = startProcess(bash.call);
      const grandchild = Number(await bash.said(/\d+/));
      await until(
        "env to clear it",
        async () => (await processRow(grandchild))?.group === grandchild || undefined,
      );

      bash.cancellation[way]();
      await running.done;

      expect(await processRow(grandchild)).toBeNull();
    },
  );

  it("lets the rest of the group clean up before it is killed", async () => {
    const bash = bashCall(
      "(trap 'echo saved; exit' TERM; echo ready; while :; do sleep 0.01; done) & wait",
    );
    const running = startProcess(bash.call);
    await bash.said(/ready/);

    bash.cancellation.interruptNow();
    await running.done;

    expect(bash.stdout()).toContain("saved");
  });

  itNeeds(
    ENVIRONMENTS,
    "leaves other processes alone, also if their token has the same prefix",
    async () => {
      const token = `${randomUUID()}.1`;
      const own = bashCall("echo ready; exec sleep 300", { token });
      const similar = bashCall("echo ready; exec sleep 300", { token: `${token}0` });
      const ownRunning = startProcess(own.call);
      const similarRunning = startProcess({
        ...similar.call,
        env: { ...similar.call.env, [TOKEN_VARIABLE]: `${token}0` },
      });
      await Promise.all([own.said(/ready/), similar.said(/ready/)]);

      own.cancellation.killNow();
      await ownRunning.done;
      const left = await findProcesses(table, token);

      expect(left).toMatchObject([{ command: "sleep 300" }]);
      similar.cancellation.killNow();
      expect(await similarRunning.done).toMatchObject({ signal: "SIGKILL" });
    },
  );

  it("prevents the start if the cancellation comes first", async () => {
    const bash = bashCall("echo started");
    bash.cancellation.interruptNow();

    const end = await startProcess(bash.call).done;

    expect(end).toMatchObject({
      exitCode: null,
      signal: null,
      spawnError: null,
      endedByRaymond: true,
    });
    expect(bash.stdout()).toBe("");
  });

  it("handles fifty at once without warnings, leaked listeners or processes", async () => {
    const run = randomUUID();
    const shared = cancellation();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const calls = Array.from({ length: 50 }, (_, index) =>
      bashCall(`${OWN_SESSION} sleep 300 & echo ready; wait`, {
        token: `${run}.${String(index)}`,
        cancellation: shared,
      }),
    );
    const running = calls.map(({ call }) => startProcess(call));
    await Promise.all(calls.map((bash) => bash.said(/ready/)));

    shared.interruptNow();
    const ends = await Promise.all(running.map(({ done }) => done));
    process.off("warning", onWarning);

    expect(ends.every(({ endedByRaymond: ended }) => ended)).toBe(true);
    expect(await findProcesses(table, `${run}.`)).toEqual([]);
    expect(getEventListeners(shared.interrupt, "abort")).toEqual([]);
    expect(getEventListeners(shared.kill, "abort")).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("leaves no listener after two hundred processes that ended on their own", async () => {
    const shared = cancellation();
    const call: ProcessCall = { ...bashCall("true").call, command: "true", args: [] };

    for (let batch = 0; batch < 10; batch += 1) {
      const running = Array.from({ length: 20 }, () =>
        startProcess({ ...call, cancellation: shared }),
      );
      await Promise.all(running.map(({ done }) => done));
    }

    expect(getEventListeners(shared.interrupt, "abort")).toEqual([]);
    expect(getEventListeners(shared.kill, "abort")).toEqual([]);
  });
});
