import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { spawnByNode } from "../../../src/process/children/node-child.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { findProcesses } from "../../../src/process/find-processes.ts";
import { launchScripts } from "../../../src/process/launcher/launched-script.ts";
import {
  createLauncher,
  type LauncherOptions,
  startPerl,
} from "../../../src/process/launcher/launcher.ts";
import { LAUNCHER_PROGRAM } from "../../../src/process/launcher/program.ts";
import type { ProcessPlatform } from "../../../src/process/platform/platform.ts";
import { procTable } from "../../../src/process/platform/proc-table.ts";
import { linuxWith } from "../../../src/process/platform/unix.ts";
import { tempFolder } from "../../support/folders.ts";
import { describeNeeds, LAUNCHER } from "../../support/needs.ts";
import { bashCall } from "../../support/process/bash-call.ts";
import { until } from "../../support/until.ts";

/** A platform with a launcher of its own. */
function platformWith(options: LauncherOptions = {}) {
  const directly = { count: 0 };
  const spawnScript = launchScripts((call) => {
    directly.count += 1;
    return spawnByNode(call, false);
  }, createLauncher(options));
  return { platform: linuxWith(spawnScript), directly };
}

function script(text: string, cwd = "/") {
  return bashCall(text, { reopenable: true, cwd });
}

/** The launcher, killed before this statement of its program. */
function killedAt(statement: string): () => ReturnType<typeof startPerl> {
  expect(LAUNCHER_PROGRAM).toContain(statement);
  const killed = LAUNCHER_PROGRAM.replace(statement, () => `kill(9, $$); ${statement}`);
  return () => startPerl(killed);
}

/** The launcher creates the process of the next script with the second one. */
async function launcherAfterTwoScripts(platform: ProcessPlatform): Promise<number> {
  const bash = script("echo $PPID");
  await startProcess(script("exit 0").call, { platform }).done;
  await startProcess(bash.call, { platform }).done;
  return Number(bash.stdout());
}

/** Undefined if there is none, or several. */
async function onlyChildOf(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8");
  return /^\d+ $/.test(children) ? Number(children) : undefined;
}

describeNeeds(LAUNCHER, "the launcher", () => {
  it("starts scripts that are its children", async () => {
    const { platform } = platformWith();
    const parents: string[] = [];
    for (const text of ["echo $PPID", "echo $PPID"]) {
      const bash = script(text);
      await startProcess(bash.call, { platform }).done;
      parents.push(bash.stdout().trim());
    }

    expect(parents[0]).not.toBe(String(process.pid));
    expect(parents[1]).toBe(parents[0]);
    expect(await readFile(`/proc/${String(parents[1])}/cmdline`, "utf8")).toContain(
      "raymond-launcher",
    );
    expect(await readFile(`/proc/${String(parents[1])}/environ`, "utf8")).toBe("");
  });

  it("starts fifty scripts at once, each with its own outputs and exit code", async () => {
    const { platform, directly } = platformWith();
    const calls = Array.from({ length: 50 }, (_, n) =>
      script(`echo out ${String(n)}; echo err ${String(n)} >&2; exit ${String(n)}`),
    );

    const ends = await Promise.all(calls.map(({ call }) => startProcess(call, { platform }).done));

    expect(ends.map(({ exitCode }) => exitCode)).toEqual(calls.map((_, n) => n));
    expect(calls.map((each) => each.stdout())).toEqual(calls.map((_, n) => `out ${String(n)}\n`));
    expect(calls.map((each) => each.stderr())).toEqual(calls.map((_, n) => `err ${String(n)}\n`));
    expect(directly.count).toBe(0);
  });

  it("distinguishes an exit code from a signal", async () => {
    const { platform } = platformWith();

    const [code, signal] = await Promise.all(
      ["exit 137", "kill -KILL $$"].map(
        (text) => startProcess(script(text).call, { platform }).done,
      ),
    );

    expect(code).toMatchObject({ exitCode: 137, signal: null });
    expect(signal).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });

  it("that is killed takes its scripts with it, and the next script gets a new one", async () => {
    const { platform, directly } = platformWith();
    const first = script("trap '' TERM INT; sleep 300 & echo $PPID; wait");
    const running = startProcess(first.call, { platform });
    const launcher = Number(await first.said(/\d+/));

    process.kill(launcher, "SIGKILL");
    const end = await running.done;
    const second = script("echo $PPID");
    await startProcess(second.call, { platform }).done;

    expect(end).toMatchObject({ exitCode: null, signal: "SIGKILL", endedByRaymond: false });
    expect(await findProcesses(procTable, first.token)).toEqual([]);
    expect(Number(second.stdout())).not.toBe(launcher);
    expect(directly.count).toBe(0);
  });

  it.each([
    ["before it reads a request", "my $read = sysread(STDIN", "directly"],
    ["before it creates the process", "my $pid = syscall(CLONE", "directly"],
    ["before it reports the process", 'reply("forked", $id, $pid)', "directly"],
    ["before it reads a command", "my ($id, $command) = @_;", "not at all"],
    ["before it passes the command on", "send_text($go_write, pack(", "not at all"],
    ["before it reports the start", 'reply("started", $id)', "once"],
    ["before it passes output on", "reply_with($output{$from}", "once"],
    ["before it reports the exit", 'reply("exit", $id', "once"],
  ])("that is killed %s causes no second execution", async (_, statement, executed) => {
    const { platform, directly } = platformWith({ start: killedAt(statement) });
    const folder = await tempFolder();
    const bash = script("echo x >> executed; echo x; sleep 0.2", folder);

    const end = await startProcess(bash.call, { platform }).done;

    const lines = existsSync(join(folder, "executed"))
      ? await readFile(join(folder, "executed"), "utf8")
      : "";
    expect(await findProcesses(procTable, bash.token)).toEqual([]);
    if (executed === "directly") {
      expect(end).toMatchObject({ exitCode: 0, spawnError: null });
      expect(lines).toBe("x\n");
      expect(directly.count).toBe(1);
    } else {
      expect(end).toMatchObject({ exitCode: null, signal: "SIGKILL", endedByRaymond: false });
      expect(executed === "once" ? ["", "x\n"] : [""]).toContain(lines);
      expect(directly.count).toBe(0);
    }
  });

  it.each([
    ["before it is reported", 'reply("forked", $id, $pid)', "$pid"],
    ["just before it receives its command", "send_text($go_write, pack(", "$$process[0]"],
  ])("starts a script again if its process was killed %s", async (_, statement, pid) => {
    expect(LAUNCHER_PROGRAM).toContain(statement);
    const kill = `our $killed; kill(9, ${pid}), waitpid(${pid}, 0) if !$killed++;`;
    const program = LAUNCHER_PROGRAM.replace(statement, () => `${kill} ${statement}`);
    const { platform, directly } = platformWith({ start: () => startPerl(program) });
    const folder = await tempFolder();

    const end = await startProcess(script("echo x >> executed", folder).call, { platform }).done;

    expect(end).toMatchObject({ exitCode: 0, spawnError: null });
    expect(await readFile(join(folder, "executed"), "utf8")).toBe("x\n");
    expect(directly.count).toBe(0);
  });

  it("starts the next script although the process that waits for it was killed", async () => {
    const { platform, directly } = platformWith();
    const launcher = await launcherAfterTwoScripts(platform);
    const waiting = await until("a waiting process", () => onlyChildOf(launcher));

    process.kill(waiting, "SIGKILL");
    const end = await startProcess(script("exit 5").call, { platform }).done;

    expect(end).toMatchObject({ exitCode: 5, spawnError: null });
    expect(directly.count).toBe(0);
  });

  it("that is killed leaves no process that waits for a script", async () => {
    const { platform, directly } = platformWith();
    const launcher = await launcherAfterTwoScripts(platform);
    const waiting = await until("a waiting process", () => onlyChildOf(launcher));

    process.kill(launcher, "SIGKILL");

    await until("the waiting process to end", () =>
      Promise.resolve(existsSync(`/proc/${String(waiting)}`) ? undefined : true),
    );
    const end = await startProcess(script("exit 6").call, { platform }).done;
    expect(end).toMatchObject({ exitCode: 6, spawnError: null });
    expect(directly.count).toBe(0);
  });

  it("passes on standard output before standard error that was written at the same time", async () => {
    const { platform } = platformWith();
    for (let n = 0; n < 20; n += 1) {
      const both: string[] = [];
      const { call } = script("echo out; echo err >&2");
      const add = (chunk: Buffer) => both.push(chunk.toString());

      await startProcess({ ...call, onStdout: add, onStderr: add }, { platform }).done;

      expect(both.join("")).toBe("out\nerr\n");
    }
  });

  it("passes on all output of several scripts at once", async () => {
    const { platform, directly } = platformWith();
    const count = 300_000;
    const calls = ["a", "b", "c"].map((letter) =>
      script(`yes ${letter} | head -n ${String(count)}; yes ${letter} | head -n 1000 >&2`),
    );

    await Promise.all(calls.map(({ call }) => startProcess(call, { platform }).done));

    expect(
      calls.map((each) => each.stdout() === `${each.stdout()[0] ?? ""}\n`.repeat(count)),
    ).toEqual([true, true, true]);
    expect(calls.map((each) => each.stderr())).toEqual(
      ["a", "b", "c"].map((letter) => `${letter}\n`.repeat(1000)),
    );
    expect(directly.count).toBe(0);
  });

  it("does not mix the output that a background child writes later with that of others", async () => {
    const { platform } = platformWith();
    const first = script("(for n in 1 2 3 4 5 6; do echo late; sleep 0.1; done) & exit 0");
    const next = Array.from({ length: 10 }, () => script("sleep 0.05; echo next"));

    const done = startProcess(first.call, { platform, drainMs: 10 }).done;
    expect(await done).toMatchObject({ exitCode: 0, leftOpen: true });
    for (const { call } of next) await startProcess(call, { platform }).done;

    expect(next.map((each) => each.stdout())).toEqual(next.map(() => "next\n"));
  });

  it("passes large commands unchanged, and reports those that are too large", async () => {
    const { platform, directly } = platformWith();
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`V${String(n)}`, "ü".repeat(50_000)]),
    );
    const large = script("printenv V0 V19 | wc -c");
    const tooLarge = script("exit 0");

    const end = await startProcess(
      { ...large.call, env: { ...large.call.env, ...many } },
      { platform },
    ).done;
    const failed = await startProcess(
      { ...tooLarge.call, env: { V: "x".repeat(200_000) } },
      { platform },
    ).done;

    expect(end).toMatchObject({ exitCode: 0, spawnError: null });
    expect(large.stdout()).toBe("200002\n");
    expect(failed.spawnError?.code).toBe("E2BIG");
    expect(directly.count).toBe(0);
  });

  it("that hangs is killed, and the script is started directly", async () => {
    let pid = 0;
    const start = () => {
      const launcher = startPerl();
      pid = launcher.pid ?? 0;
      process.kill(pid, "SIGSTOP");
      return launcher;
    };
    const { platform, directly } = platformWith({ start, silenceMs: 100 });

    const end = await startProcess(script("exit 3").call, { platform }).done;

    expect(end).toMatchObject({ exitCode: 3 });
    expect(directly.count).toBe(1);
    expect(existsSync(`/proc/${String(pid)}`)).toBe(false);
  });

  it("is not presumed to hang because raymond was suspended while it replied", async () => {
    const start = () => {
      const launcher = startPerl();
      const { stdin } = launcher;
      if (stdin === null) throw new Error("no pipe");
      const write = stdin.write.bind(stdin);
      stdin.write = (message: Buffer) => {
        const written = write(message);
        if (message.includes("run\0"))
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        return written;
      };
      return launcher;
    };
    const { platform, directly } = platformWith({ start, silenceMs: 100 });

    const end = await startProcess(script("sleep 0.5; exit 7").call, { platform }).done;

    expect(end).toMatchObject({ exitCode: 7, signal: null });
    expect(directly.count).toBe(0);
  });

  it("is not used any more after three that could not start anything", async () => {
    let starts = 0;
    const start = () => {
      starts += 1;
      return spawn("false", { stdio: ["pipe", "pipe", "ignore"] });
    };
    const { platform, directly } = platformWith({ start });

    for (let n = 0; n < 5; n += 1) {
      expect(await startProcess(script("exit 4").call, { platform }).done).toMatchObject({
        exitCode: 4,
      });
    }

    expect([starts, directly.count]).toEqual([3, 5]);
  });

  it("ends with raymond, and leaves a running script for the next raymond to find", async () => {
    const program = fileURLToPath(
      new URL("../../fixtures/process/dies-with-launcher.ts", import.meta.url),
    );
    const cwd = fileURLToPath(new URL("../../..", import.meta.url));
    const bash = bashCall(`exec "${process.execPath}" --import tsx "${program}"`, { cwd });

    const end = await startProcess(bash.call).done;

    expect(end.signal).toBe("SIGKILL");
    const [launcher = "", orphan = ""] = bash.stdout().trim().split(" ");
    await until("the launcher to end", () =>
      Promise.resolve(existsSync(`/proc/${launcher}`) ? undefined : true),
    );
    const found = await findProcesses(procTable, bash.token);
    expect(found.map(({ pid }) => String(pid))).toContain(orphan);
  });
});
