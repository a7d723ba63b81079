import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { WAIT_MS } from "../../support/until.ts";
import { CHAOS_MAIN } from "../place.ts";
import { RUN } from "../scenarios.ts";
import type { Crash, Ended, Lifetime, TestBed } from "../test-bed.ts";
import { documentOf, nextCommand } from "../test-bed.ts";
import type { Kill, Target } from "./kill-plan.ts";

/** A run with kills. */
export interface KillTrial extends Lifetime {
  /** Descriptions of the kills, in order. */
  readonly hits: readonly string[];
  /** Processes that survived a raymond that ended normally. */
  readonly left: readonly string[];
}

/**
 * Resumes the run until it is complete, with the planned kills one after the other. A kill is skipped if raymond ends
 * before. A killed client or script counts as a crash: its step may be repeated. Throws if the run does not
 * complete.
 */
export async function killTrial(bed: TestBed, kills: readonly Kill[]): Promise<KillTrial> {
  const remaining = [...kills];
  const commands: Ended[] = [];
  const crashes: Crash[] = [];
  const hits: string[] = [];
  const left: string[] = [];
  for (let nth = 0; nth < MOST_COMMANDS; nth += 1) {
    const words = (await nextCommand(bed)) ?? (await afterFailure(bed, hits));
    if (words === null) return { commands, crashes, hits, left };
    const raymond = launch(bed, words);
    const before = hits.length;
    while (
      raymond.isAlive() &&
      remaining.length > 0 &&
      (hits.length === before || raymond.isAlive())
    ) {
      const kill = remaining.shift();
      if (kill === undefined || !(await raymond.waitFor(kill))) break;
      const hit = await killTarget(bed, raymond.child, kill.target, crashes);
      if (hit === null) continue;
      hits.push(`${hit}, ${String(kill.ms)} ms after its ${kill.from} in command ${String(nth)}`);
      if (kill.target !== "client" && kill.target !== "script") break;
    }
    const ended = await raymond.exit;
    commands.push(ended);
    if (ended.signal === "SIGKILL") crashes.push({ document: await documentOf(bed) });
    else {
      const alive = await bed.project.orphans();
      left.push(...alive.map(({ command }) => `${command} after command ${String(nth)}`));
    }
  }
  throw new Error(`The run did not end:\n${commands.map(({ stderr }) => stderr).join("\n")}`);
}

const MOST_COMMANDS = 14;

/** A run that failed because its step was killed is resumed. */
async function afterFailure(
  bed: TestBed,
  hits: readonly string[],
): Promise<readonly string[] | null> {
  const failed = (await documentOf(bed))?.status === "failed";
  return failed && hits.some((hit) => /^(client|script)/.test(hit)) ? ["--resume", RUN] : null;
}

interface Raymond {
  readonly child: ChildProcess;
  readonly exit: Promise<Ended>;
  isAlive(): boolean;
  /** Waits for the time of a kill. False if raymond ends before. */
  waitFor(kill: Kill): Promise<boolean>;
}

/** Starts a command in a new process group. */
function launch({ project, env }: TestBed, words: readonly string[]): Raymond {
  const child = spawn(process.execPath, [CHAOS_MAIN, ...words], {
    cwd: project.dir,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    timeout: WAIT_MS,
    killSignal: "SIGABRT",
  });
  const said = once(child.stderr, "data");
  const over = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const exit = Promise.all([over, text(child.stdout), text(child.stderr)]).then(
    ([[exitCode, signal], stdout, stderr]) => ({ exitCode, signal, stdout, stderr }),
  );
  said.catch(() => undefined);
  let hit = false;
  return {
    child,
    exit,
    isAlive,
    waitFor: async ({ from, ms }) => {
      if (from === "first output" && !hit) await Promise.race([said, over]);
      hit = true;
      await Promise.race([delay(ms), over]);
      return isAlive();
    },
  };
}

/** Kills the target. Null if there is no such process. */
async function killTarget(
  bed: TestBed,
  raymond: ChildProcess,
  target: Target,
  crashes: Crash[],
): Promise<string | null> {
  const { pid } = raymond;
  if (pid === undefined) throw new Error("It was not started");
  switch (target) {
    case "raymond":
      return kill(pid) ? "raymond" : null;
    case "group":
      return kill(-pid) ? "group" : null;
    case "everything": {
      const all = await bed.project.orphans();
      for (const each of all) kill(each.pid);
      return `everything (${String(all.length)})`;
    }
    case "client":
    case "script": {
      const found = await stepOf(bed, pid, target);
      if (found === null) return null;
      // Read before the kill, to include everything that it interrupts.
      const document = await documentOf(bed);
      if (!kill(found.pid)) return null;
      crashes.push({ document });
      return `${target} (${found.command.split(" ").slice(1, 2).join("")})`;
    }
  }
}

/** A child process of raymond for a step. */
async function stepOf({ project, client }: TestBed, parent: number, target: "client" | "script") {
  for (const found of await project.orphans()) {
    const stat = await readFile(`/proc/${String(found.pid)}/stat`, "latin1").catch(() => "");
    const isChild = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
    const isClient = found.command.includes(client.command);
    if (isChild && isClient === (target === "client")) return found;
  }
  return null;
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
