import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { MOST_MS } from "../support/until.ts";
import type { Blow, Target } from "./kill-plan.ts";
import { CHAOS_MAIN } from "./place.ts";
import { RUN } from "./scenarios.ts";
import type { Crash, Ended, Lifetime, TestBed } from "./test-bed.ts";
import { documentOf, nextCommand } from "./test-bed.ts";

/** A life that was broken off by force. */
export interface KillTrial extends Lifetime {
  /** What was hit, in words, in order. */
  readonly hits: readonly string[];
  /** Processes that lived on after a raymond that ended by itself. */
  readonly left: readonly string[];
}

/**
 * Goes on with the run until nothing is left to do, and lets the blows fall as
 * they come: each waits for the end of the one before, and a blow for which
 * raymond ends too early is lost. A client or a script that is hit alone counts
 * as a crash: its step may be done again. Throws where the run does not come to
 * an end.
 */
export async function killTrial(bed: TestBed, blows: readonly Blow[]): Promise<KillTrial> {
  const coming = [...blows];
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
      coming.length > 0 &&
      (hits.length === before || raymond.isAlive())
    ) {
      const blow = coming.shift();
      if (blow === undefined || !(await raymond.comes(blow))) break;
      const hit = await strike(bed, raymond.child, blow.target, crashes);
      if (hit === null) continue;
      hits.push(`${hit}, ${String(blow.ms)} ms after its ${blow.from} in command ${String(nth)}`);
      if (blow.target !== "client" && blow.target !== "script") break;
    }
    const ended = await raymond.exit;
    commands.push(ended);
    if (ended.signal === "SIGKILL") crashes.push({ document: await documentOf(bed) });
    else {
      const alive = await bed.project.leftovers();
      left.push(...alive.map(({ command }) => `${command} after command ${String(nth)}`));
    }
  }
  throw new Error(`The run did not end:\n${commands.map(({ stderr }) => stderr).join("\n")}`);
}

const MOST_COMMANDS = 14;

/** A run that has failed because a step of it was killed goes on by a resume. */
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
  /** Waits for the moment of a blow; false when raymond has ended before. */
  comes(blow: Blow): Promise<boolean>;
}

/** Starts a command in a process group of its own. */
function launch({ project, env }: TestBed, words: readonly string[]): Raymond {
  const child = spawn(process.execPath, [CHAOS_MAIN, ...words], {
    cwd: project.dir,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    timeout: MOST_MS,
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
    comes: async ({ from, ms }) => {
      if (from === "first word" && !hit) await Promise.race([said, over]);
      hit = true;
      await Promise.race([delay(ms), over]);
      return isAlive();
    },
  };
}

/** Kills who is meant. Null when there is nobody. */
async function strike(
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
      const all = await bed.project.leftovers();
      for (const each of all) kill(each.pid);
      return `everything (${String(all.length)})`;
    }
    case "client":
    case "script": {
      const found = await stepOf(bed, pid, target);
      if (found === null) return null;
      // Who looks before the blow sees at least what the blow interrupts.
      const document = await documentOf(bed);
      if (!kill(found.pid)) return null;
      crashes.push({ document });
      return `${target} (${found.command.split(" ").slice(1, 2).join("")})`;
    }
  }
}

/** A process of a step, which raymond itself has started. */
async function stepOf({ project, client }: TestBed, parent: number, target: "client" | "script") {
  for (const found of await project.leftovers()) {
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
