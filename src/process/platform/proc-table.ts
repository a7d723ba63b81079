import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { TOKEN_VARIABLE } from "../../engine/ports/process.ts";
import type { ProcessRow, ProcessTable } from "./table.ts";

export const procTable: ProcessTable = {
  showsTokens: true,
  rows(oldest) {
    // Many steps that are cancelled by one signal share one listing.
    const shared = nextListings.get(oldest);
    if (shared !== undefined) return shared;
    const next = new Promise(setImmediate).then(() => {
      nextListings.delete(oldest);
      return listProcesses(oldest);
    });
    nextListings.set(oldest, next);
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

/** Fields of `/proc/<pid>/stat`. */
export interface Stat {
  /** Executable name, cut by the kernel to 15 bytes. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  /** Clock ticks since boot. */
  readonly startTicks: string;
}

/** Null for a zombie or a missing process. */
export function readStat(pid: number): Stat | null {
  try {
    return parseStat(readInProc(`/proc/${String(pid)}/stat`).toString());
  } catch {
    return null;
  }
}

/** Parses a `stat` file; null for a zombie or malformed text. */
export function parseStat(text: string): Stat | null {
  // The name is in parentheses and may contain some: only the last one ends it.
  const nameEnd = text.lastIndexOf(")");
  const name = text.slice(text.indexOf("(") + 1, nameEnd);
  const fields = text.slice(nameEnd + 2).split(" ", 20);
  const [state, parent, group] = fields;
  const startTicks = fields[19];
  if (nameEnd === -1 || startTicks === undefined) return null;
  if (state === "Z" || state === "X" || state === "x") return null;
  return { name, parent: Number(parent), group: Number(group), startTicks };
}

/** The token variable in an `environ` file; null without one. */
export function tokenIn(environ: Buffer): string | null {
  const name = `${TOKEN_VARIABLE}=`;
  for (let at = environ.indexOf(name); at !== -1; at = environ.indexOf(name, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    return environ.toString("utf8", at + name.length, end === -1 ? environ.length : end);
  }
  return null;
}

const nextListings = new Map<number | null, Promise<readonly ProcessRow[]>>();

/**
 * Reads synchronously: the thread pool is slower, and descriptors may be short. Most of the cost is
 * reading environments, so those of processes older than `oldest` are not read.
 */
function listProcesses(oldest: number | null): readonly ProcessRow[] {
  const since = oldest === null ? 0 : Number(readStat(oldest)?.startTicks ?? 0);
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
    return tokenIn(readInProc(`/proc/${String(pid)}/environ`));
  } catch {
    // Owned by another user, or already gone: not ours.
    return null;
  }
}

/**
 * The content of a file, until the next call: a listing reads hundreds. Throws errors of `node:fs`.
 */
function readInProc(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    for (let length = 0; ; ) {
      if (length === content.length) content = Buffer.concat([content], 2 * length);
      const bytes = readSync(file, content, length, content.length - length, null);
      if (bytes === 0) return content.subarray(0, length);
      length += bytes;
    }
  } finally {
    closeSync(file);
  }
}

let content = Buffer.alloc(16 * 1024);
