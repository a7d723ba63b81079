import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { baseEnvironment } from "../../../src/engine/executors/environment.ts";
import { type ScriptOptions, scriptExecutor } from "../../../src/engine/executors/script.ts";
import type { Executor } from "../../../src/engine/ports/executor.ts";
import { NO_LISTENER, type StepRecorder } from "../../../src/engine/ports/step-events.ts";
import type { StepOutcome } from "../../../src/machine/model/outcome.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { endProcesses, findProcesses } from "../../../src/process/find-processes.ts";
import { thisPlatform } from "../../../src/process/platform/platforms.ts";
import { cancellation } from "../../support/cancellation.ts";
import { scriptStep } from "../../support/engine/script-step.ts";
import { itNeeds, PROC } from "../../support/needs.ts";
import { heapGrowth } from "../../support/process/memory.ts";
import { until } from "../../support/until.ts";

const { table } = thisPlatform;

describe("scriptExecutor", () => {
  it("reads the tag that the script prints, without cost", async () => {
    const { run } = await script("echo some words; echo '<goto>NEXT</goto>'");

    expect(await run()).toEqual({
      kind: "output",
      reading: {
        elements: [{ tag: "goto", attributes: [], content: "NEXT" }],
        count: 1,
        unclosed: null,
        oversized: false,
      },
      spoke: true,
      session: null,
      capped: false,
      denials: [],
      spend: NO_SPEND,
      durationMs: expect.any(Number) as number,
      exitCode: 0,
    });
  });

  it("ignores tags on standard error", async () => {
    const { run } = await script("echo '<goto>NEXT</goto>' >&2");

    expect(await run()).toMatchObject({ kind: "output", reading: { count: 0 } });
  });

  it("reads characters whole that arrive in pieces", async () => {
    const { run } = await script(
      "printf '<result>gr\\xc3'; sleep 0.05; printf '\\xbc\\xc3\\x9fe</result>'",
    );

    expect(await run()).toMatchObject({ reading: { elements: [{ content: "grüße" }] } });
  });

  it("runs the script in the agent's folder, with an empty input", async () => {
    const { run, dir } = await script('cat; echo "<result>$PWD $0</result>"');

    expect(await run()).toMatchObject({
      reading: { elements: [{ content: `${dir} ${join(dir, "BUILD.sh")}` }] },
    });
  });

  it("hands over a pending result in a private file, which is removed after the step", async () => {
    const { run, temp } = await script(
      'echo "<result>$RAYMOND_RESULT|$(cat "$RAYMOND_RESULT_FILE")|$(ls -l "$RAYMOND_RESULT_FILE" | cut -c1-10)</result>"',
    );

    const outcome = await run({ pendingResult: "two\nlines" });

    expect(outcome).toMatchObject({
      reading: { elements: [{ content: "two\nlines|two\nlines|-rw-------" }] },
    });
    expect(await readdir(temp)).toEqual([]);
  });

  it("passes an empty result as a variable", async () => {
    const { run } = await script(`echo "<result>\${RAYMOND_RESULT-unset}</result>"`);

    expect(await run({ pendingResult: "" })).toMatchObject({
      reading: { elements: [{ content: "" }] },
    });
    expect(await run()).toMatchObject({ reading: { elements: [{ content: "unset" }] } });
  });

  it.each([
    ["with a NUL", "a\0b"],
    ["too large for a variable", "x".repeat(5_000_000)],
  ])("passes a result %s only in the file", async (_what, pendingResult) => {
    const { run } = await script(
      `echo "<result>\${RAYMOND_RESULT-unset} $(wc -c < "$RAYMOND_RESULT_FILE" | tr -d " ")</result>"`,
    );

    expect(await run({ pendingResult })).toMatchObject({
      reading: { elements: [{ content: `unset ${String(pendingResult.length)}` }] },
    });
  });

  describe("as a gate", () => {
    const gated = "<goto>A.md</goto>";

    it("passes by its exit code, with any output", async () => {
      const { run } = await script('echo "<goto>NOWHERE</goto> $RAYMOND_TRANSITION"');

      expect(await run({ gated })).toMatchObject({ kind: "checked", problem: null, exitCode: 0 });
    });

    it("reports how it ended and its output, both streams in order", async () => {
      const { run } = await script(
        'echo "one $RAYMOND_TRANSITION"; sleep 0.1; echo two >&2; sleep 0.1; echo three; exit 3',
      );

      expect(await run({ gated })).toMatchObject({
        kind: "checked",
        problem: "The gate BUILD.sh failed with exit code 3.",
        said: "one <goto>A.md</goto>\ntwo\nthree\n",
        exitCode: 3,
      });
    });

    it("keeps the last 16 KiB of 10 MB", async () => {
      const { run } = await script("yes ü | head -c 9999999; echo the end; exit 1");

      const outcome = await run({ gated });

      const said = outcome.kind === "checked" ? outcome.said : "";
      expect(Buffer.byteLength(said)).toBeLessThanOrEqual(16 * 1024);
      expect(Buffer.byteLength(said)).toBeGreaterThan(16 * 1024 - 4);
      expect(said).toMatch(/^[ü\n]+the end\n$/);
    });

    it("fails on a timeout, with the output so far", async () => {
      const { run } = await script("echo started; sleep 100");

      expect(await run({ gated, timeoutMs: 500 })).toMatchObject({
        kind: "checked",
        problem: "The gate BUILD.sh did not end within 500ms and was stopped.",
        said: "started\n",
      });
    });

    it("can be interrupted like any other script", async () => {
      const { run, cancel } = await script("sleep 100");
      cancel.interruptNow();

      expect(await run({ gated })).toMatchObject({ kind: "failure", class: "cancelled" });
    });
  });

  it("is not started with a value that cmd.exe would execute, and names the attribute", async () => {
    const executor = scriptExecutor({
      env: {},
      platform: "windows",
      tempDir: () => Promise.reject(new Error("nothing was to be written")),
      start: () => {
        throw new Error("nothing was to be started");
      },
    });
    const { file } = scriptStep();
    const step = scriptStep({
      file: { ...file, name: "LATER.bat" },
      platform: "windows",
      pendingResult: "x",
      attributes: { title: "harmless", item: "a & calc" },
    });

    const outcome = await executor.execute(step, cancellation(), NO_LISTENER, recording().recorder);

    expect(outcome).toMatchObject({ kind: "failure", class: "deterministic", exitCode: null });
    expect(messageOf(outcome)).toBe(
      'The script LATER.bat was not started. Invalid attribute item for "LATER.bat": The value of an attribute for a .bat script must not contain &.',
    );
  });

  it("fails when the result file cannot be written", async () => {
    const { run, temp } = await script("true");
    await rm(temp, { recursive: true });

    const outcome = await run({ pendingResult: "x" });

    expect(outcome).toMatchObject({ kind: "failure", class: "deterministic", exitCode: null });
    expect(messageOf(outcome)).toMatch(
      /^The script BUILD\.sh could not be started: cannot write its result file/,
    );
  });

  it.each([
    [
      "line ends of Windows",
      "if true; then\r\n  echo hi\r\nfi\r\n",
      /CRLF.*sed -i\.bak \$'s\/\\r\$\/\/' "\/.*BUILD\.sh"\n.*\.gitattributes/,
    ],
    [
      "a byte order mark",
      "\ufeffcd . || exit 1; false\n",
      /byte order mark.*sed -i\.bak \$'1s\/.*BUILD\.sh/,
    ],
  ])("explains how to fix a script with %s", async (_what, text, hint) => {
    const { run, dir } = await script(text);

    const outcome = await run();

    expect(outcome).toMatchObject({ hint: expect.stringMatching(hint) as string });
    const said = "hint" in outcome ? (outcome.hint ?? "") : "";
    execFileSync("/bin/bash", ["-c", /sed .*"/.exec(said)?.[0] ?? "false"]);
    expect(await readFile(join(dir, "BUILD.sh"), "utf8")).toBe(text.replace(/\r|\ufeff/g, ""));
  });

  it("names the encoding of a script in UTF-16", async () => {
    const { run, dir } = await script("");
    await writeFile(join(dir, "BUILD.sh"), Buffer.from("\ufeffecho hi\n", "utf16le"));

    expect(await run()).toMatchObject({ hint: expect.stringContaining("UTF-16") as string });
  });

  it("explains possible reasons when a script was killed", async () => {
    const { run } = await script("kill -KILL $$");

    expect(await run()).toMatchObject({ hint: expect.stringContaining("out of memory") as string });
  });

  it("gives no such hint for other failures", async () => {
    const { run } = await script("printf 'a\\r\\n' >&2; exit 3");

    expect(await run()).toMatchObject({ kind: "failure", hint: null });
  });

  it("can open its outputs by name", async () => {
    const { run, recorded } = await script(
      "echo log | tee /dev/stderr; echo '<goto>NEXT</goto>' >/dev/stdout",
    );

    expect(await run()).toMatchObject({ kind: "output", reading: { elements: [{ tag: "goto" }] } });
    expect(recorded.stderr).toBe("log\n");
  });

  it("fails on an exit code, with script, code, duration and the last lines", async () => {
    const { run, temp } = await script(
      "echo '<goto>NEXT</goto>'; for i in {1..20}; do echo line $i >&2; done; exit 3",
    );

    const outcome = await run({ pendingResult: "x" });

    expect(outcome).toMatchObject({ kind: "failure", class: "deterministic", exitCode: 3 });
    expect(messageOf(outcome)).toMatch(
      /^The script BUILD\.sh failed with exit code 3 after \S+\. Its standard error ended with:\n {2}line 11\n/,
    );
    expect(messageOf(outcome)).toMatch(/line 20$/);
    expect(await readdir(temp)).toEqual([]);
  });

  it("fails on a signal, and reports missing output", async () => {
    const { run } = await script("kill -SEGV $$");

    const outcome = await run();

    expect(outcome).toMatchObject({ kind: "failure", class: "deterministic", exitCode: null });
    expect(messageOf(outcome)).toMatch(
      /was ended by SIGSEGV after \S+\. It wrote nothing to standard error\.$/,
    );
  });

  it.each(["KILL", "TERM", "INT", "HUP"])(
    "is interrupted, and not failed, if another process sends SIG%s",
    async (signal) => {
      const { run } = await script(`kill -${signal} $$`);

      const outcome = await run();

      expect(outcome).toMatchObject({ kind: "failure", class: "crash", exitCode: null });
      expect(messageOf(outcome)).toContain(`was ended by SIG${signal}`);
    },
  );

  it("reports a missing working directory", async () => {
    const { run, dir } = await script("true");

    const outcome = await run({ cwd: join(dir, "gone") });

    expect(outcome).toMatchObject({ kind: "failure", class: "deterministic", exitCode: null });
    expect(messageOf(outcome)).toContain(
      `its working directory ${join(dir, "gone")} does not exist any more.`,
    );
  });

  it("reports a working directory that is a file", async () => {
    const { run, dir } = await script("true");

    const outcome = await run({ cwd: join(dir, "BUILD.sh") });

    expect(messageOf(outcome)).toMatch(/working directory .*BUILD\.sh is not a folder\.$/);
  });

  it("reports an environment that is too large", async () => {
    const { run } = await script("true");
    const attributes = { big: "x".repeat(200_000) };

    expect(messageOf(await run({ attributes }))).toContain("its environment is too large");
  });

  it("stops a script at the time limit of the run", async () => {
    const { run } = await script("echo working >&2; exec sleep 300");

    const outcome = await run({ scriptTimeoutMs: 300 });

    expect(outcome).toMatchObject({ kind: "failure", class: "deterministic" });
    expect(messageOf(outcome)).toMatch(
      /^The script BUILD\.sh did not end within 300ms and was stopped\. .*\n {2}working$/,
    );
  });

  itNeeds(PROC, "does not end a script that finished before its limit was checked", async () => {
    const limit: { passes: () => void } = { passes: () => undefined };
    const { run, dir } = await script(
      "echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done; echo '<result/>'",
      (_ms, callback) => {
        limit.passes = callback;
        return () => undefined;
      },
    );
    const outcome = run({ scriptTimeoutMs: 1_000 });
    const pid = await until("its pid", async () => {
      const text = await readFile(join(dir, "pid"), "utf8").catch(() => "");
      return text.endsWith("\n") ? text.trim() : undefined;
    });

    // It ends while this process is busy, as while raymond was suspended.
    writeFileSync(join(dir, "go"), "");
    while (isRunning(pid));
    // The system reports the end in this time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    limit.passes();

    expect(await outcome).toMatchObject({ kind: "output" });
  });

  it("measures the time of a script from its start", async () => {
    const order: string[] = [];
    const { run } = await script(
      "echo '<result/>'",
      () => {
        order.push("the limit counts");
        return () => undefined;
      },
      (call) =>
        startProcess({
          ...call,
          onStart: (pid) => {
            order.push("it runs");
            call.onStart?.(pid);
          },
        }),
    );

    await run({ scriptTimeoutMs: 1_000 });

    expect(order).toEqual(["it runs", "the limit counts"]);
  });

  it.each([
    ["shorter", { timeoutMs: 100, scriptTimeoutMs: 600_000 }, "failure"],
    ["longer", { timeoutMs: 600_000, scriptTimeoutMs: 1 }, "output"],
    ["beyond what a timer can hold", { timeoutMs: 2 ** 40, scriptTimeoutMs: 1 }, "output"],
    ["none", { timeoutMs: 0, scriptTimeoutMs: 1 }, "output"],
  ])("prefers the script's own time limit to the run's: %s", async (_what, limits, kind) => {
    const { run } = await script("sleep 0.4; echo '<result/>'");

    expect(await run(limits)).toMatchObject({ kind });
  });

  it("reports a cancelled script as cancelled, also if it exits with 0", async () => {
    const { run, cancel, dir, temp } = await script(
      "trap 'echo \"<goto>NEXT</goto>\"; exit 0' INT; touch started; while :; do sleep 0.01; done",
    );
    const outcome = run({ pendingResult: "x" });
    await until("the script to start", async () =>
      (await readdir(dir)).includes("started") ? true : undefined,
    );

    cancel.interruptNow();

    expect(await outcome).toMatchObject({ kind: "failure", class: "cancelled", exitCode: 0 });
    expect(messageOf(await outcome)).toMatch(/^The script BUILD\.sh was interrupted after \S+\.$/);
    expect(await readdir(temp)).toEqual([]);
  });

  it("starts nothing while the run is stopping", async () => {
    const { run, cancel, dir } = await script("touch started");
    cancel.interruptNow();

    expect(await run()).toMatchObject({ kind: "failure", class: "cancelled", exitCode: null });
    expect(await readdir(dir)).not.toContain("started");
  });

  it("records the command, the output and the end, without inherited variables", async () => {
    const { run, dir, recorded } = await script("echo out; echo err >&2; exit 2");

    await run({ attributes: { item: "12" } });

    expect(recorded.stdout).toBe("out\n");
    expect(recorded.stderr).toBe("err\n");
    expect(recorded.facts).toMatchObject({
      argv: ["/bin/bash", join(dir, "BUILD.sh")],
      cwd: dir,
      exit_code: 2,
      signal: null,
      duration_ms: expect.any(Number) as number,
      environment: { RAYMOND_AGENT_ID: "main", item: "12" },
    });
    expect(recorded.facts["environment"]).not.toHaveProperty("PATH");
  });

  it("keeps no endless output in memory", async () => {
    const { run } = await script("yes '<goto>A</goto> and so on' | head -c 29999999");

    const held = await heapGrowth(async () => {
      expect(await run()).toMatchObject({ kind: "output", reading: { oversized: false } });
    });

    expect(held).toBeLessThan(15_000_000);
  });
});

/** A script of this text in a folder of its own, and what an executor makes of it. */
async function script(
  text: string,
  timer?: ScriptOptions["timer"],
  start: ScriptOptions["start"] = startProcess,
) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "raymond-test-")));
  const dir = join(root, "flow");
  const temp = join(root, "temp");
  const token = `${root}.1`;
  await mkdir(dir);
  await mkdir(temp);
  await writeFile(join(dir, "BUILD.sh"), text);
  onTestFinished(async () => {
    const left = await findProcesses(table, token);
    await endProcesses(table, left, { graceMs: 0 });
    await rm(root, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  const executor: Executor = scriptExecutor({
    env: baseEnvironment(process.env, new Set()),
    platform: "unix",
    start,
    tempDir: () => Promise.resolve(temp),
    ...(timer !== undefined && { timer }),
  });
  const cancel = cancellation();
  const { recorder, recorded } = recording();
  const run = (changes: Parameters<typeof scriptStep>[0] = {}): Promise<StepOutcome> => {
    const place = { path: join(dir, "BUILD.sh"), scopeDir: dir, cwd: dir, token };
    return executor.execute(scriptStep({ ...place, ...changes }), cancel, NO_LISTENER, recorder);
  };
  return { run, dir, temp, cancel, recorded };
}

/** A recorder, and what it was order. */
function recording() {
  const recorded = { stdout: "", stderr: "", facts: {} as Record<string, unknown> };
  const unused = (): never => {
    throw new Error("A script has neither a prompt nor a stream.");
  };
  const recorder: StepRecorder = {
    prompt: unused,
    line: unused,
    stdout(chunk) {
      if (recorded.stdout.length < 1_000) recorded.stdout += new TextDecoder().decode(chunk);
    },
    stderr(chunk) {
      recorded.stderr += new TextDecoder().decode(chunk);
    },
    meta(facts) {
      recorded.facts = { ...recorded.facts, ...facts };
    },
  };
  return { recorder, recorded };
}

function messageOf(outcome: StepOutcome): string {
  return outcome.kind === "failure" ? outcome.message : "";
}

function isRunning(pid: string): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
