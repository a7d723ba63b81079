import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { describeNeeds, PROC } from "../../support/needs.ts";
import { until } from "../../support/until.ts";

/**
 * A worker of its own process with two steps: one in its own group, whose child has left that group, and one that
 * ends at once. It renews its guard as `renewals` says, and then does nothing more.
 */
async function worker(renewals: readonly number[]) {
  const module = (name: string) => JSON.stringify(path.resolve(`src/process/children/${name}.ts`));
  const text = `
    import { spawn } from "node:child_process";
    import { startGuard } from ${module("guard")};
    import { startService } from ${module("service")};
    const guard = startGuard(startService, process.pid, (problem) => console.log("problem", problem));
    const step = spawn("/bin/bash", ["-c", "setsid sleep 300 & echo $! $$; exec sleep 301"], { detached: true });
    step.stdout.once("data", (data) => {
      for (const ms of ${JSON.stringify(renewals)}) guard.renew(ms);
      console.log("steps", String(data).trim());
    });
    process.stdin.on("data", () => guard.end().then(() => console.log("ended")));`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", text], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    said += data;
  });
  const saying = (pattern: RegExp) =>
    until(String(pattern), () => Promise.resolve(pattern.exec(said) ?? undefined));
  const [, left = "", own = ""] = await saying(/steps (\d+) (\d+)/);
  const steps = [Number(left), Number(own)];
  onTestFinished(() => {
    for (const pid of steps.filter(isAlive)) process.kill(pid, "SIGKILL");
  });
  return { child, steps, saying, said: () => said };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Children of a process that live. */
async function childrenOf(pid: number): Promise<string> {
  return readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8").catch(() => "");
}

async function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${String(pid)}/cmdline`, "utf8").catch(() => "");
}

/** The letter of its state; null where there is no such process. */
async function stateOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => null);
  return stat === null ? null : (stat.slice(stat.lastIndexOf(")") + 2)[0] ?? null);
}

describeNeeds(PROC, "the guard of a worker", () => {
  it("kills the steps of a worker that is frozen when its lease expires, but not the worker", async () => {
    const { child, steps } = await worker([60_000, 1_500]);
    child.kill("SIGSTOP");

    // The one whose parent is frozen stays as a zombie until the worker wakes.
    await until("the steps to end", async () => {
      const states = await Promise.all(steps.map(stateOf));
      return states.every((state) => state === null || state === "Z") || undefined;
    });
    child.kill("SIGCONT");

    await until("the zombies to go", () => Promise.resolve(!steps.some(isAlive) || undefined));
    expect(child.exitCode).toBeNull();
    expect(isAlive(child.pid ?? 0)).toBe(true);
  });

  it("kills nothing while the worker sends heartbeats, and ends with it", async () => {
    const { child, steps, saying, said } = await worker([60_000]);
    const before = (await childrenOf(child.pid ?? 0)).trim().split(" ");

    child.stdin.write("end\n");
    await saying(/ended/);

    const after = (await childrenOf(child.pid ?? 0)).trim().split(" ");
    expect(before.length).toBe(after.length + 1);
    // Such as what a start file of bash has to say.
    expect(said()).not.toContain("problem");
    expect(steps.map(isAlive)).toEqual([true, true]);
  });

  it("ends when the worker was killed", async () => {
    const { child } = await worker([60_000]);
    const children = (await childrenOf(child.pid ?? 0)).trim().split(" ").map(Number);
    const guards: number[] = [];
    for (const pid of children)
      if ((await commandOf(pid)).includes("raymond-guard")) guards.push(pid);

    child.kill("SIGKILL");

    expect(guards).toHaveLength(1);
    await until("the guard to end", () => Promise.resolve(!guards.some(isAlive) || undefined));
  });
});
