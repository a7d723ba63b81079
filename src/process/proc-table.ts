import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { TOKEN_VARIABLE } from "./process.ts";
import type { ProcessRow, ProcessTable } from "./table.ts";

/** The process table of Linux, read from `/proc`. */
export const procTable: ProcessTable = {
  rows() {
    // Fifty steps that are cancelled by one signal ask in one tick, and share one look.
    nextLook ??= setImmediate().then(() => {
      nextLook = null;
      return look();
    });
    return nextLook;
  },

  startTicks(pids) {
    const alive = new Map<number, string>();
    for (const pid of pids) {
      const stat = readStat(pid);
      if (stat !== null) alive.set(pid, stat.startTicks);
    }
    return Promise.resolve(alive);
  },

  commandLine(row) {
    try {
      const words = readFileSync(`/proc/${String(row.pid)}/cmdline`, "utf8").split("\0");
      return words.join(" ").trim() || row.command;
    } catch {
      return row.command;
    }
  },
};

/** What `/proc/<pid>/stat` says of a process. */
export interface Stat {
  /** Name of the executable, cut by the kernel to 15 bytes. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  /** Clock ticks between the boot and the start. */
  readonly startTicks: string;
}

/** The stat of a living process; null for a zombie, or where there is none. */
export function readStat(pid: number): Stat | null {
  try {
    return parseStat(readFileSync(`/proc/${String(pid)}/stat`, "utf8"));
  } catch {
    return null;
  }
}

/** Reads the text of a `stat` file; null for a zombie or a text that is none. */
export function parseStat(text: string): Stat | null {
  // The name stands in parentheses and may itself hold some: only the last one ends it.
  const nameEnd = text.lastIndexOf(")");
  const name = text.slice(text.indexOf("(") + 1, nameEnd);
  const [state, parent, group, ...rest] = text.slice(nameEnd + 2).split(" ");
  const startTicks = rest[16];
  if (nameEnd === -1 || startTicks === undefined) return null;
  if (state === "Z" || state === "X" || state === "x") return null;
  return { name, parent: Number(parent), group: Number(group), startTicks };
}

/** Value of the token variable in the text of an `environ` file; null without one. */
export function tokenIn(environ: Buffer): string | null {
  const name = `${TOKEN_VARIABLE}=`;
  for (let at = environ.indexOf(name); at !== -1; at = environ.indexOf(name, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    return environ.toString("utf8", at + name.length, end === -1 ? environ.length : end);
  }
  return null;
}

let nextLook: Promise<readonly ProcessRow[]> | null = null;

/** Files of `/proc` that are open at once: few, for a look may come when descriptors are short. */
const READERS = 4;

async function look(): Promise<readonly ProcessRow[]> {
  const pids = listPids();
  const rows: ProcessRow[] = [];
  const read = async (): Promise<void> => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      const stat = readStat(pid);
      if (stat === null) continue;
      const { name: command, parent, group, startTicks } = stat;
      rows.push({ pid, parent, group, startTicks, token: await readToken(pid), command });
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return rows;
}

function listPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

async function readToken(pid: number): Promise<string | null> {
  try {
    return tokenIn(await readFile(`/proc/${String(pid)}/environ`));
  } catch {
    // Of another user, or gone meanwhile: not ours either way.
    return null;
  }
}
