import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ProcessCall } from "../../../src/engine/ports/process.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { windows } from "../../../src/process/platform/windows.ts";
import { tempFolder } from "../../support/folders.ts";
import { bashCall } from "../../support/process/bash-call.ts";
import { heapGrowth } from "../../support/process/memory.ts";
import { processRow } from "../../support/process/process-rows.ts";
import { until } from "../../support/until.ts";

/** The ways in which processes are started on Unix. */
const STARTS: readonly (readonly [string, Partial<ProcessCall>])[] = [
  ["a command", {}],
  ["a script", { reopenable: true }],
];

describe("startProcess", () => {
  it.each(STARTS)("returns the exit code and each stream separately (%s)", async (_, changes) => {
    const bash = bashCall("echo out; echo err >&2; exit 3", changes);

    const end = await startProcess(bash.call).done;

    expect(end).toMatchObject({
      exitCode: 3,
      signal: null,
      spawnError: null,
      endedByRaymond: false,
      leftOpen: false,
    });
    expect(end.durationMs).toBeGreaterThan(0);
    expect(Number.isInteger(end.durationMs)).toBe(true);
    expect([bash.stdout(), bash.stderr()]).toEqual(["out\n", "err\n"]);
  });

  it.each(STARTS)("reports the signal that ended a process (%s)", async (_, changes) => {
    const end = await startProcess(bashCall("kill -KILL $$", changes).call).done;

    expect(end).toMatchObject({ exitCode: null, signal: "SIGKILL", endedByRaymond: false });
  });

  it.each(STARTS)("passes this environment and no other (%s)", async (_, changes) => {
    const env = { ONLY: "this one", PATH: process.env["PATH"] ?? "" };
    const bash = bashCall("env", { ...changes, env });

    await startProcess(bash.call).done;

    const names = bash
      .stdout()
      .match(/^\w+/gm)
      ?.filter((name) => name !== "_");
    expect(names?.sort()).toEqual(["ONLY", "PATH", "PWD", "SHLVL"]);
  });

  it("passes the complete input, then closes it", async () => {
    const input = "ü\n".repeat(1_000_000);
    const bash = bashCall("cat | wc -c", { input });

    await startProcess(bash.call).done;

    expect(Number(bash.stdout())).toBe(Buffer.byteLength(input));
  });

  it("passes the complete input also if raymond dies while it is read", async () => {
    const folder = await tempFolder();
    const out = join(folder, "out");
    const program = fileURLToPath(
      new URL("../../fixtures/process/dies-after-start.ts", import.meta.url),
    );
    const bash = bashCall(`exec "${process.execPath}" --import tsx "${program}"`);
    const cwd = fileURLToPath(new URL("../../..", import.meta.url));

    const end = await startProcess(
      { ...bash.call, cwd, env: { ...bash.call.env, OUT: out } },
      { drainMs: 50 },
    ).done;

    expect(end.signal).toBe("SIGKILL");
    const read = await until("the orphan to have read", () =>
      readFile(out, "utf8").catch(() => undefined),
    );
    // What `head` has not taken of it: a whole block at most.
    expect(Number(read)).toBeGreaterThan(7_000_000);
    expect(8_000_001 - Number(read)).toBeLessThan(65_537);
  });

  it.each(STARTS)("passes variables of any name and value (%s)", async (_, changes) => {
    const env = {
      "a.b-c": " two\nlines=größe ",
      UID: "7",
      RANDOM: "x",
      EMPTY: "",
      "BASH_FUNC_f%%": "",
      PATH: process.env["PATH"] ?? "",
    };
    const bash = bashCall("tr '\\0' '|' < /proc/$$/environ; true", { ...changes, env });

    await startProcess(bash.call).done;

    for (const [name, value] of Object.entries(env)) {
      expect(`|${bash.stdout()}`).toContain(`|${name}=${value}|`);
    }
  });

  it.each(STARTS)("starts a session and a process group (%s)", async (_, changes) => {
    let started = 0;
    const onStart = (pid: number) => {
      started = pid;
    };
    const bash = bashCall("ps -o pid=,pgid=,sid= -p $$", { ...changes, onStart });

    await startProcess(bash.call).done;

    expect(new Set(bash.stdout().trim().split(/\s+/))).toEqual(new Set([String(started)]));
  });

  it.each(STARTS)("passes an empty input by default (%s)", async (_, changes) => {
    const bash = bashCall("cat; echo over", changes);

    await startProcess(bash.call).done;

    expect(bash.stdout()).toBe("over\n");
  });

  it("accepts a process that does not read its input", async () => {
    const bash = bashCall("exec <&-; echo bye", { input: "x".repeat(10_000_000) });

    const end = await startProcess(bash.call).done;

    expect(end).toMatchObject({ exitCode: 0, endedByRaymond: false });
  });

  it.each(
    [
      { command: "/no-such-command-anywhere" },
      { cwd: join(tmpdir(), "no-such-folder-anywhere") },
    ].flatMap((missing) => STARTS.map((start) => [missing, ...start] as const)),
  )("reports ENOENT for %j (%s)", async (missing, _, changes) => {
    const end = await startProcess(bashCall("true", { ...changes, ...missing }).call).done;

    expect(end).toMatchObject({ exitCode: null, signal: null, spawnError: { code: "ENOENT" } });
  });

  it.each(STARTS)("reports E2BIG for an environment that is too large (%s)", async (_, changes) => {
    const env = { BIG: "x".repeat(3_000_000) };
    const end = await startProcess(bashCall("true", { ...changes, env }).call).done;

    expect(end.spawnError?.code).toBe("E2BIG");
  });

  it.each(STARTS)(
    "loses nothing of an output that is larger than any pipe (%s)",
    async (_, changes) => {
      let bytes = 0;
      const bash = bashCall("head -c 20000000 /dev/zero", {
        ...changes,
        onStdout: (chunk) => {
          bytes += chunk.length;
        },
      });

      await startProcess(bash.call).done;

      expect(bytes).toBe(20_000_000);
    },
  );

  it("keeps no endless output in memory", async () => {
    let bytes = 0;
    let flowing = (): void => undefined;
    const enough = new Promise<void>((resolve) => {
      flowing = resolve;
    });
    const bash = bashCall("exec yes 'the same line over and over again'", {
      onStdout: (chunk) => {
        bytes += chunk.length;
        if (bytes > 400_000_000) flowing();
      },
    });

    const held = await heapGrowth(async () => {
      const running = startProcess(bash.call);
      await enough;
      running.end();
      expect(await running.done).toMatchObject({ endedByRaymond: true });
    });

    expect(held).toBeLessThan(50_000_000);
  });

  it.each(STARTS)(
    "ends one second after the exit although a background child holds the pipes (%s)",
    async (_, changes) => {
      const dir = await mkdtemp(join(tmpdir(), "raymond-test-"));
      onTestFinished(() => rm(dir, { recursive: true, force: true }));
      const bash = bashCall(
        "(until [ -e go ]; do sleep 0.02; done; echo late; echo later; touch done) & echo bye",
        { ...changes, cwd: dir },
      );

      const end = await startProcess(bash.call).done;
      await writeFile(join(dir, "go"), "");
      await until("the child to write", () =>
        readFile(join(dir, "done"), "utf8").catch(() => undefined),
      );

      expect(end).toMatchObject({ exitCode: 0, endedByRaymond: false, leftOpen: true });
      expect(end.durationMs).toBeGreaterThan(900);
      // Before `go` is there: it has not waited for the child.
      expect(bash.stdout()).toBe("bye\n");
    },
  );

  it.each(STARTS)(
    "loses nothing that was written before the exit, however long the event loop is blocked (%s)",
    async (_, changes) => {
      const dir = await mkdtemp(join(tmpdir(), "raymond-test-"));
      onTestFinished(() => rm(dir, { recursive: true, force: true }));
      const late = bashCall("echo $$ >pid; until [ -e go ]; do sleep 0.01; done; echo said", {
        ...changes,
        cwd: dir,
      });
      const running = startProcess(late.call, { drainMs: 20 });
      const pid = await until("its number", () =>
        readFile(join(dir, "pid"), "utf8").then(
          (text) => text.trim() || undefined,
          () => undefined,
        ),
      );
      // Both exits are seen in the turn in which only this one's output has been read.
      const { call } = bashCall("echo first", {
        cwd: dir,
        onStdout: () => {
          writeFileSync(join(dir, "go"), "");
          while (!hasEnded(pid)) holdUp(5);
          setImmediate(() => {
            holdUp(100);
          });
        },
      });
      const first = startProcess(call);
      setImmediate(() => {
        holdUp(300);
      });

      expect(await running.done).toMatchObject({ exitCode: 0, leftOpen: false });
      expect(late.stdout()).toBe("said\n");
      await first.done;
    },
  );

  it.each([
    ["a command", "INPUT=", "hello"],
    ["a command with an input", "INPUT='oh, '", "oh, hello"],
    ["a script", "REOPENABLE=yes", "hello"],
  ])("waits for free descriptors, then starts %s", async (_, variable, said) => {
    const { stdout } = await runFixture(
      "short-of-descriptors.ts",
      `ulimit -n 256; export ${variable};`,
    );

    expect(stdout).toBe(`waited true, exit code 0, said ${said}\n`);
  });

  it("does not keep raymond from exiting while a background child holds its pipes", async () => {
    const { stdout } = await runFixture("leaves-a-child.ts", "");

    expect(stdout).toMatch(/^left open true, pid \d+\n$/);
    expect(await processRow(Number(/\d+/.exec(stdout)?.[0]))).not.toBeNull();
  });

  it.each(STARTS)(
    "rejects when an output callback throws, and leaves no process (%s)",
    async (_, changes) => {
      const bash = bashCall("echo $$; exec sleep 300", {
        ...changes,
        onStdout: () => {
          throw new Error("a bug");
        },
      });

      await expect(startProcess(bash.call).done).rejects.toThrow("a bug");
    },
  );

  it("uses execa on Windows", async () => {
    const bash = bashCall("cat; echo err >&2; exit 4", { input: "in\n" });

    const end = await startProcess(bash.call, { platform: windows }).done;

    expect(end).toMatchObject({ exitCode: 4, signal: null, spawnError: null, leftOpen: false });
    expect([bash.stdout(), bash.stderr()]).toEqual(["in\n", "err\n"]);
  });

  it("reports ENOENT with execa, too", async () => {
    const { call } = bashCall("true", { command: "no-such-command-anywhere" });

    const end = await startProcess(call, { platform: windows }).done;

    expect(end.spawnError?.code).toBe("ENOENT");
  });

  it.each(STARTS)(
    "does not count a process that ended before the request as ended by raymond (%s)",
    async (_, changes) => {
      const bash = bashCall("sleep 300 & echo $!", changes);
      const running = startProcess(bash.call, { drainMs: 50 });
      const child = Number(await bash.said(/\d+/));
      await until("bash to exit", async () => (await processRow(child))?.parent === 1 || undefined);

      bash.cancellation.interruptNow();

      expect(await running.done).toMatchObject({
        exitCode: 0,
        endedByRaymond: false,
        leftOpen: true,
      });
    },
  );
});

/** Runs a program of `tests/fixtures/process` in a Node of its own, `before` by bash first. */
async function runFixture(name: string, before: string): Promise<{ stdout: string }> {
  const program = fileURLToPath(new URL(`../../fixtures/process/${name}`, import.meta.url));
  const bash = bashCall(`${before} exec "$NODE" --import tsx "$PROGRAM"`);
  const end = await startProcess({
    ...bash.call,
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    env: { ...bash.call.env, NODE: process.execPath, PROGRAM: program },
  }).done;
  expect([end.exitCode, bash.stderr()]).toEqual([0, ""]);
  return { stdout: bash.stdout() };
}

/** Blocks the event loop, so that this process does not observe the end. */
function hasEnded(pid: string): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" });
  return /^([ZX]|$)/.test(stdout);
}

/** Blocks the event loop. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
