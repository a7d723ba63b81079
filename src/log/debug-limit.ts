import { statSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";

/** Limits of the step files of a run. */
export interface DebugLimits {
  readonly maxBytes: number;
  readonly maxSteps: number;
}

/** Default limits: a run of several weeks must not fill the disk. */
export const DEBUG_LIMITS: DebugLimits = { maxBytes: 500 * 1024 * 1024, maxSteps: 5_000 };

/**
 * Deletes the files of the oldest steps beyond the limits.
 *
 * B1  After each removal the files of ended steps are within the limits, except those of the newest step.
 * B2  Files of running steps, and other files, are neither counted nor deleted.
 * B3  Steps do not wait for it. Files of earlier processes are counted in the background, and nothing is deleted before.
 */
export class DebugLimit {
  readonly #dir: string;
  readonly #limits: DebugLimits;
  readonly #failed: (error: unknown) => void;
  /** By number, oldest first. */
  #steps: KeptStep[] = [];
  #bytes = 0;
  #counting: Promise<void> | null = null;
  #counted = false;
  #removing: Promise<void> = Promise.resolve();

  /** `failed` is called for each file that cannot be deleted. */
  constructor(dir: string, limits: DebugLimits, failed: (error: unknown) => void) {
    this.#dir = dir;
    this.#limits = limits;
    this.#failed = failed;
  }

  /** Numbers of processes increase, also in a resumed run. */
  started(process: number): void {
    if (this.#counting !== null) return;
    this.#counted = process <= 1;
    this.#counting = this.#counted ? Promise.resolve() : this.#countEarlier(process);
  }

  /** All files of a process are written: those at `base` with `endings`, or those that exist. */
  ended(process: number, base: string, endings: readonly string[] = ENDINGS): void {
    try {
      const step = filesOf(process, base, endings);
      if (step.names.length > 0) this.#add([step]);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Resolves when all is counted and removed. Never rejects. */
  async settle(): Promise<void> {
    await this.#counting;
    await this.#removing;
  }

  async #countEarlier(first: number): Promise<void> {
    try {
      const steps = new Map<number, { names: string[]; bytes: number }>();
      for (const name of await readdir(this.#dir).catch(() => [])) {
        const process = processOf(name);
        if (process === null || process >= first) continue;
        const size = (await stat(join(this.#dir, name)).catch(() => null))?.size ?? 0;
        const step = steps.get(process) ?? { names: [], bytes: 0 };
        steps.set(process, { names: [...step.names, name], bytes: step.bytes + size });
      }
      this.#counted = true;
      this.#add([...steps].map(([process, step]) => ({ process, ...step })));
    } catch (error) {
      this.#failed(error);
    }
  }

  #add(more: readonly KeptStep[]): void {
    for (const step of more) {
      this.#bytes += step.bytes;
      // Nearly always the last one.
      const before = this.#steps.findLastIndex(({ process }) => process < step.process);
      this.#steps.splice(before + 1, 0, step);
    }
    if (this.#counted) this.#shrink();
  }

  #shrink(): void {
    const { maxBytes, maxSteps } = this.#limits;
    while (this.#steps.length > 1 && (this.#bytes > maxBytes || this.#steps.length > maxSteps)) {
      const oldest = this.#steps.shift();
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes;
      this.#removing = this.#removing.then(() => this.#remove(oldest));
    }
  }

  async #remove({ names }: KeptStep): Promise<void> {
    for (const name of names) await rm(join(this.#dir, name), { force: true }).catch(this.#failed);
  }
}

/** The existing files of one process. */
interface KeptStep {
  readonly process: number;
  readonly names: readonly string[];
  readonly bytes: number;
}

/** Synchronous: some stat calls on new files cost less than one way through the thread pool. */
function filesOf(process: number, base: string, endings: readonly string[]): KeptStep {
  const names: string[] = [];
  let bytes = 0;
  for (const ending of endings) {
    const found = statSync(base + ending, { throwIfNoEntry: false });
    if (found === undefined) continue;
    names.push(basename(base) + ending);
    bytes += found.size;
  }
  return { process, names, bytes };
}

/** The extensions of a step's files. */
export const ENDINGS = [
  ".jsonl",
  ".prompt.md",
  ".stdout.txt",
  ".stderr.txt",
  ".meta.json",
] as const;

/** The process number of a step's file; null for other files. `.tail`: left by a crash. */
function processOf(name: string): number | null {
  const found =
    /_(\d{1,15})\.(?:jsonl|prompt\.md|stdout\.txt|stderr\.txt|meta\.json)(?:\.tail)?$/.exec(name);
  return found?.[1] === undefined ? null : Number(found[1]);
}
