import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Both ends of a new pipe, as descriptors; who takes them closes them. */
export interface Pipe {
  readonly readEnd: number;
  /** For the child: it blocks, as programs expect of their outputs. */
  readonly writeEnd: number;
}

/** Pipes for the outputs of scripts. */
export interface PipeSource {
  /**
   * So many pipes, or null where this machine has none to give: no /proc, no
   * mkfifo. Rejects as `open` does when there are too many open files.
   */
  take(count: number): Promise<readonly Pipe[] | null>;
}

/**
 * Real pipes. Node gives children sockets, and a socket cannot be opened by
 * name: `tee /dev/stderr` and `> /dev/stdout` fail. Nor can Node make a pipe,
 * so `mkfifo` makes many at a time, a few for a run of one script and up to
 * {@link MOST_MADE} for one of thousands. Their names are removed at once, each
 * is used once, and nothing of them outlives the processes that have them open
 * (docs/decisions/0008). Of the folders the first that there is holds the names.
 */
export function fifoPool(folders: readonly string[] = [IN_MEMORY, tmpdir()]): PipeSource {
  /** Descriptors that are neither end: they only keep a pipe findable. */
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

export function closePipe({ readEnd, writeEnd }: Pipe): void {
  closeSync(readEnd);
  closeSync(writeEnd);
}

/** A disk takes long to make files that are gone at once: ten milliseconds for 64 of them, where many went before. */
const IN_MEMORY = "/dev/shm";
const FIRST_MADE = 4;
const MOST_MADE = 64;

/** So often may it fail, for want of descriptors say, before it is not tried any more. */
const MOST_FAILURES = 3;

/** Opens a file without reading or writing it; Node has no name for it. */
const O_PATH = 0o10000000;

/** Empty where the system cannot create any. */
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

/** Needs no descriptor, unlike a recursive `rm`: that one fails when descriptors run short. */
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

/** Ignores a failure: a name that was never created is already gone. */
function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // See above.
  }
}

/** Throws where none of the folders is there to be written to. */
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

/** The read end first: without a reader, to open the other would block. */
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
