import { readdirSync, readFileSync } from "node:fs";
import { TOKEN_VARIABLE } from "../ports/process.ts";
import type { ProcessRow, ProcessTable } from "./table.ts";

/** The process table of Linux, read from `/proc`. */
export const procTable: ProcessTable = {
  showsTokens: true,
  rows(elder) {
    // Fifty steps that are cancelled by one signal ask in one tick, and share one look.
    const shared = nextLooks.get(elder);
    if (shared !== undefined) return shared;
    const next = new Promise(setImmediate).then(() => {
      nextLooks.delete(elder);
      return look(elder);
    });
    nextLooks.set(elder, next);
    return next;
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

const nextLooks = new Map<number | null, Promise<readonly ProcessRow[]>>();

/**
 * At once, one file after the other: the thread pool takes longer, and a look may come when descriptors are short.
 * Most of it is environments, so those of processes that were there before the elder stay unread.
 */
function look(elder: number | null): readonly ProcessRow[] {
  const since = elder === null ? 0 : Number(readStat(elder)?.startTicks ?? 0);
  return listPids().flatMap((pid) => {
    const stat = readStat(pid);
    if (stat === null) return [];
    const { name: command, parent, group, startTicks } = stat;
    const token = Number(startTicks) < since ? null : readToken(pid);
    return [{ pid, parent, group, startTicks, token, command }];
  });
}

function listPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readToken(pid: number): string | null {
  try {
    return tokenIn(readFileSync(`/proc/${String(pid)}/environ`));
  } catch {
    // Of another user, or gone meanwhile: not ours either way.
    return null;
  }
}
