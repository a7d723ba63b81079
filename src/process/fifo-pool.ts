import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
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
 * so `mkfifo` makes many at a time: that is one short process for
 * {@link BATCH} of them. Their names are removed at once, each is used once, and
 * nothing of them outlives the processes that have them open
 * (docs/decisions/0008).
 */
export function fifoPool(): PipeSource {
  /** Descriptors that are neither end: they only keep a pipe findable. */
  const spare: number[] = [];
  let filling: Promise<void> | null = null;
  let failures = process.platform === "linux" ? 0 : MOST_FAILURES;

  const fill = async (): Promise<void> => {
    const made = await makeFifos();
    if (made.length === 0) failures += 1;
    spare.push(...made);
    filling = null;
  };

  return {
    async take(count) {
      while (spare.length < count) {
        if (failures >= MOST_FAILURES) return null;
        filling ??= fill();
        await filling;
      }
      const taken: Pipe[] = [];
      try {
        for (const kept of spare.splice(-count)) taken.push(openBoth(kept));
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

const BATCH = 64;

/** So often may it fail, for want of descriptors say, before it is not tried any more. */
const MOST_FAILURES = 3;

/** Opens a file without reading or writing it; Node has no name for it. */
const O_PATH = 0o10000000;

/** Empty where the system makes none. */
async function makeFifos(): Promise<readonly number[]> {
  const kept: number[] = [];
  let dir: string | null = null;
  try {
    dir = mkdtempSync(path.join(tmpdir(), "raymond-pipes."));
    const folder = dir;
    const names = Array.from({ length: BATCH }, (_, n) => path.join(folder, String(n)));
    const child = spawn("mkfifo", ["-m", "600", ...names], { stdio: "ignore" });
    await once(child, "exit");
    for (const name of names) kept.push(openSync(name, O_PATH));
    // Whether they can be found again without their names: not where /proc is missing.
    const [first] = kept;
    if (first !== undefined) closePipe(openAgain(first));
  } catch {
    for (const each of kept.splice(0)) closeSync(each);
  } finally {
    if (dir !== null) rmSync(dir, { recursive: true, force: true });
  }
  return kept;
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
