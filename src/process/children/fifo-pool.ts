import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** Both ends of a new pipe, as descriptors. The caller closes them. */
export interface Pipe {
  readonly readEnd: number;
  /** For the child. It blocks, as programs expect of their outputs. */
  readonly writeEnd: number;
}

export interface PipeSource {
  /**
   * Creates `count` pipes; null if this machine cannot (no /proc, no mkfifo). Rejects as `open`
   * does if too many files are open.
   */
  take(count: number): Promise<readonly Pipe[] | null>;
}

/**
 * Real pipes for children. Node uses sockets, which cannot be opened by name: `tee /dev/stderr` and
 * `> /dev/stdout` fail. Node cannot create pipes, so `mkfifo` creates several at a time, up to
 * {@link MOST_MADE} in busy runs. Their names are removed at once, and each pipe is used once, so
 * that nothing outlives the processes (docs/decisions/0008). The names are created in the first
 * folder that exists.
 */
export function fifoPool(folders: readonly string[] = [IN_MEMORY, tmpdir()]): PipeSource {
  /** Descriptors that only keep a pipe accessible: neither its read end nor its write end. */
  const spare: number[] = [];
  let filling: Promise<void> | null = null;
  let count = FIRST_MADE;
  let failures = process.platform === "linux" ? 0 : MOST_FAILURES;

  const fill = async (): Promise<void> => {
    const made = await makeFifos(count, folders);
    count = Math.min(2 * count, MOST_MADE);
    if (made.length === 0) failures += 1;
    spare.push(...made);
    filling = null;
  };

  return {
    async take(wanted) {
      while (spare.length < wanted) {
        if (failures >= MOST_FAILURES) return null;
        filling ??= fill();
        await filling;
      }
      const taken: Pipe[] = [];
      try {
        for (const kept of spare.splice(-wanted)) taken.push(openBoth(kept));
        return taken;
      } catch (error) {
        for (const pipe of taken) closePipe(pipe);
        throw error;
      }
    },
  };
}

export function readFrom(readEnd: number): Socket {
  return new Socket({ fd: readEnd, readable: true, writable: false });
}

function closePipe({ readEnd, writeEnd }: Pipe): void {
  closeSync(readEnd);
  closeSync(writeEnd);
}

/** Creating and deleting 64 files on a disk can take ten milliseconds. */
const IN_MEMORY = "/dev/shm";
const FIRST_MADE = 4;
const MOST_MADE = 64;

/** After this number of failures, for example for lack of descriptors, the pool gives up. */
const MOST_FAILURES = 3;

/** Opens a file without reading or writing it; missing in Node's constants. */
const O_PATH = 0o10000000;

/** Empty if the system cannot create any. */
async function makeFifos(count: number, folders: readonly string[]): Promise<readonly number[]> {
  const kept: number[] = [];
  const names: string[] = [];
  let folder: string | null = null;
  try {
    const dir = makeFolder(folders);
    folder = dir;
    names.push(...Array.from({ length: count }, (_, n) => path.join(dir, String(n))));
    const child = spawn("mkfifo", ["-m", "600", ...names], { stdio: "ignore" });
    await once(child, "exit");
    for (const name of names) kept.push(openSync(name, O_PATH));
    // Without /proc a FIFO cannot be opened again once its name is removed.
    const [first] = kept;
    if (first !== undefined) closePipe(openAgain(first));
  } catch {
    for (const each of kept.splice(0)) closeSync(each);
  }
  removeNames(names, folder);
  return kept;
}

/** Needs no descriptor, unlike a recursive `rm`, which fails when descriptors are short. */
function removeNames(names: readonly string[], folder: string | null): void {
  for (const name of names)
    attempt(() => {
      unlinkSync(name);
    });
  if (folder !== null)
    attempt(() => {
      rmdirSync(folder);
    });
}

/** Ignores errors: a name that was never created is already gone. */
function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // Ignored.
  }
}

/** Throws if none of the folders is writable. */
function makeFolder([first = "", ...others]: readonly string[]): string {
  try {
    return mkdtempSync(path.join(first, "raymond-pipes."));
  } catch (error) {
    if (others.length === 0) throw error;
    return makeFolder(others);
  }
}

function openBoth(kept: number): Pipe {
  try {
    return openAgain(kept);
  } finally {
    closeSync(kept);
  }
}

/** Opens the read end first: without a reader, opening the write end blocks. */
function openAgain(kept: number): Pipe {
  const name = `/proc/self/fd/${String(kept)}`;
  const readEnd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readEnd, writeEnd: openSync(name, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}

/** Shared by all runs of this process: it creates many pipes at a time. */
export const sharedPipes: PipeSource = fifoPool();
