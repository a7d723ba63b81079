import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import type { StartProcess } from "../ports/process.ts";
import { recordFile, recordFiles, type WhichSteps } from "./step-records.ts";
import type { ProcessRow } from "./table.ts";
import { look, startedAt } from "./windows-table.ts";

/**
 * What is written down of a step's process on Windows while it runs. When
 * raymond dies Windows ends those that it has started itself, and not those that
 * they have started: the client behind a `claude.cmd` lives on.
 */
export interface WindowsStep {
  readonly pid: number;
  /** When it was started, epoch ms. */
  readonly at: number;
  /** Long random words of its command line, such as the id of its session: nobody else's has them. */
  readonly signs: readonly string[];
}

/** `start` that writes down in `folder` which processes live: Windows has no groups of them, each is its own. */
export function recordSteps(start: StartProcess, folder: string): StartProcess {
  return (call) => {
    const file = recordFile(folder, call.token);
    const running = start({
      ...call,
      onStart: (pid) => {
        call.onStart?.(pid);
        record(file, { pid, at: Date.now(), signs: call.args.filter((word) => UUID.test(word)) });
      },
    });
    const forget = () => {
      forgetStep(file);
    };
    return { ...running, done: running.done.finally(forget) };
  };
}

/** What is to be looked for is asked first: a look at the processes takes long. */
export async function livingSteps(
  folder: string,
  which: WhichSteps,
  see: () => Promise<readonly ProcessRow[]> = look,
): Promise<readonly number[]> {
  const files = await recordFiles(folder, which);
  const steps = (await Promise.all(files.map(readStep))).filter((step) => step !== null);
  return steps.length === 0 ? [] : leftOf(steps, await see());
}

/** Writes it at once. What the disk refuses is not written. */
function record(file: string, step: WindowsStep): void {
  try {
    mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify(step)}\n`, { mode: 0o600 });
  } catch {
    // A full disk is told by the save that it breaks.
  }
}

function forgetStep(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It names a dead process, which harms nobody.
  }
}

/** Null where there is no such record, or one that nobody can read. */
async function readStep(file: string): Promise<WindowsStep | null> {
  try {
    const step = JSON.parse(await readTextFile(file, LIMITS.small)) as WindowsStep;
    return Number.isInteger(step.pid) && Number.isFinite(step.at) && Array.isArray(step.signs)
      ? step
      : null;
  } catch {
    return null;
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The pids of those that surely are what these steps have left: the process
 * itself, by pid and start; and where it has ended, its children that carry a
 * sign of it. Any other may be a stranger's, whose parent had that pid later.
 */
export function leftOf(
  steps: readonly WindowsStep[],
  rows: readonly ProcessRow[],
): readonly number[] {
  const isOf = (row: ProcessRow, { pid, at, signs }: WindowsStep): boolean => {
    if (row.pid === pid) return Math.abs(startedAt(row) - at) <= SLACK_MS;
    return (
      row.parent === pid &&
      startedAt(row) >= at - SLACK_MS &&
      signs.some((sign) => row.command.includes(sign))
    );
  };
  return rows.filter((row) => steps.some((step) => isOf(row, step))).map(({ pid }) => pid);
}

/** Between the start of a process and the moment that is written down for it. */
const SLACK_MS = 2_000;
