import { statSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";

/** How much the step files of a run may take. */
export interface DebugLimits {
  readonly maxBytes: number;
  readonly maxSteps: number;
}

/** What is kept where nobody says otherwise: a run of weeks must not fill the disk. */
export const DEBUG_LIMITS: DebugLimits = { maxBytes: 500 * 1024 * 1024, maxSteps: 5_000 };

/**
 * Keeps the files of a run's steps within limits: the oldest steps go first.
 * B1: after each removal what has ended takes no more than the limits, but for
 * the newest step, which stays however large it is. B2: files of a step that
 * still runs are neither counted nor removed, nor is anything that is no file
 * of a step. B3: nothing waits for it; what earlier processes have left is
 * counted in the background, and until that is known nothing is removed.
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

  /** `failed` is told of each file that cannot be removed. */
  constructor(dir: string, limits: DebugLimits, failed: (error: unknown) => void) {
    this.#dir = dir;
    this.#limits = limits;
    this.#failed = failed;
  }

  /** A process begins. Its number is higher than that of any before it, also in a run that is resumed. */
  began(process: number): void {
    if (this.#counting !== null) return;
    this.#counted = process <= 1;
    this.#counting = this.#counted ? Promise.resolve() : this.#countEarlier(process);
  }

  /** All files of a process are written: those whose path begins with `base`. */
  ended(process: number, base: string): void {
    try {
      const step = look(process, base);
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
    for (const { bytes } of more) this.#bytes += bytes;
    const newest = this.#steps.at(-1)?.process ?? 0;
    const inOrder = more.every(({ process }) => process > newest);
    this.#steps.push(...more);
    if (!inOrder || more.length > 1) this.#steps.sort((a, b) => a.process - b.process);
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

/** The files of one process that are there. */
interface KeptStep {
  readonly process: number;
  readonly names: readonly string[];
  readonly bytes: number;
}

/** Five looks at what was just written cost less than one way through the thread pool. */
function look(process: number, base: string): KeptStep {
  const names: string[] = [];
  let bytes = 0;
  for (const ending of ENDINGS) {
    const found = statSync(base + ending, { throwIfNoEntry: false });
    if (found === undefined) continue;
    names.push(basename(base) + ending);
    bytes += found.size;
  }
  return { process, names, bytes };
}

/** What the names of a step's files end with. */
export const ENDINGS = [
  ".jsonl",
  ".prompt.md",
  ".stdout.txt",
  ".stderr.txt",
  ".meta.json",
] as const;

/** The number in the name of a step's file; null for any other file. `.tail` is what a crash has left. */
function processOf(name: string): number | null {
  const found =
    /_(\d{1,15})\.(?:jsonl|prompt\.md|stdout\.txt|stderr\.txt|meta\.json)(?:\.tail)?$/.exec(name);
  return found?.[1] === undefined ? null : Number(found[1]);
}
