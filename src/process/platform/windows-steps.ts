import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StartProcess } from "../../engine/ports/process.ts";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { parseBoundedJson } from "../../language/basics/json-object.ts";
import { recordFile, recordFiles, type StepFilter } from "../step-records.ts";
import type { ProcessRow } from "./table.ts";
import { listProcesses, startTime } from "./windows-table.ts";

/**
 * The record of a running step on Windows. When raymond dies, Windows ends its direct children
 * only: the client behind a `claude.cmd` survives.
 */
export interface WindowsStep {
  readonly pid: number;
  /** Start time, epoch ms. */
  readonly at: number;
  /** Unique arguments of its command line, such as the session id. */
  readonly markers: readonly string[];
}

/**
 * Wraps `start` so that running steps are recorded in `folder`. Windows has no process groups, so
 * each process counts as its own group.
 */
export function recordSteps(start: StartProcess, folder: string): StartProcess {
  return (call) => {
    const file = recordFile(folder, call.token);
    const running = start({
      ...call,
      onStart: (pid) => {
        call.onStart?.(pid);
        record(file, { pid, at: Date.now(), markers: call.args.filter((word) => UUID.test(word)) });
      },
    });
    const forget = () => {
      forgetStep(file);
    };
    return { ...running, done: running.done.finally(forget) };
  };
}

/** Lists processes only if there are records, because listing is slow. */
export async function livingSteps(
  folder: string,
  which: StepFilter,
  see: () => Promise<readonly ProcessRow[]> = listProcesses,
): Promise<readonly number[]> {
  const files = recordFiles(folder, which);
  const steps = (await Promise.all(files.map(readStep))).filter((step) => step !== null);
  return steps.length === 0 ? [] : livingPids(steps, await see());
}

/** Writes synchronously. Errors are ignored. */
function record(file: string, step: WindowsStep): void {
  try {
    mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify(step)}\n`, { mode: 0o600 });
  } catch {
    // The next save reports a full disk.
  }
}

function forgetStep(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A stale record names a dead process, which is harmless.
  }
}

/** Null if the record is missing or unreadable. */
async function readStep(file: string): Promise<WindowsStep | null> {
  try {
    const step = parseBoundedJson(await readTextFile(file, LIMITS.small)) as WindowsStep;
    return Number.isInteger(step.pid) && Number.isFinite(step.at) && Array.isArray(step.markers)
      ? step
      : null;
  } catch {
    return null;
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The pids that certainly belong to these steps: the process itself, by pid and start time, or, if
 * it has ended, its children with one of its markers. Others may have a parent that reused the pid.
 */
export function livingPids(
  steps: readonly WindowsStep[],
  rows: readonly ProcessRow[],
): readonly number[] {
  const isOf = (row: ProcessRow, { pid, at, markers: signs }: WindowsStep): boolean => {
    if (row.pid === pid) return Math.abs(startTime(row) - at) <= SLACK_MS;
    return (
      row.parent === pid &&
      startTime(row) >= at - SLACK_MS &&
      signs.some((sign) => row.command.includes(sign))
    );
  };
  return rows.filter((row) => steps.some((step) => isOf(row, step))).map(({ pid }) => pid);
}

/** Tolerance between the start of a process and its recorded time. */
const SLACK_MS = 2_000;
