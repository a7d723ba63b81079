import path from "node:path";
import * as z from "zod/mini";
import { errorCode } from "../core/error-code.ts";
import type { RunId } from "../core/machine/run-state.ts";
import type { Disk } from "./disk.ts";
import { DamagedLockError } from "./errors.ts";

/** Made when a lock is read: who finds none needs none. */
const lockSchema = () =>
  z.object({
    pid: z.int(),
    host: z.string(),
    started_at: z.string(),
    /** Names the process across reuse of its pid (`src/process/identity.ts`). */
    identity: z.string(),
    machine: z.nullable(z.string()),
    boot: z.nullable(z.string()),
    namespace: z.nullable(z.string()),
    /** True once the holder has let go. */
    released: z.boolean(),
  });

/** What stands in a lock file (docs/state-file.md). */
export type LockRecord = z.infer<ReturnType<typeof lockSchema>>;

/** One generation of a run's lock. */
export interface Generation {
  readonly number: number;
  readonly file: string;
  readonly record: LockRecord;
}

const LOCK_FILE = /^lock\.([1-9][0-9]{0,14})$/;
const CLAIM_FILE = /^claim\.[0-9a-f-]+$/;

/** Path of the file of a generation. */
export function lockFile(folder: string, generation: number): string {
  return path.join(folder, `lock.${String(generation)}`);
}

/** Whether a file in a run's folder belongs to its lock. */
export function isLockFile(name: string): boolean {
  return LOCK_FILE.test(name) || CLAIM_FILE.test(name);
}

/** Whether a file in a run's folder is a claim that is not a lock yet. */
export function isClaimFile(name: string): boolean {
  return CLAIM_FILE.test(name);
}

/** The generations that have a file, ascending. */
export async function generations(disk: Disk, folder: string): Promise<readonly number[]> {
  const names = await disk.names(folder);
  const found = names.flatMap((name) => {
    const number = LOCK_FILE.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  return found.sort((a, b) => a - b);
}

/** The highest generation; null when there was never a lock. Throws {@link DamagedLockError}. */
export async function highest(disk: Disk, folder: string, id: RunId): Promise<Generation | null> {
  for (;;) {
    const number = (await generations(disk, folder)).at(-1);
    if (number === undefined) return null;
    const file = lockFile(folder, number);
    const text = await disk.read(file).catch((error: unknown) => {
      // A higher one has come meanwhile, and this one went.
      if (errorCode(error) === "ENOENT") return null;
      throw error;
    });
    if (text === null) continue;
    return { number, file, record: parseRecord(text.toString(), file, id) };
  }
}

/** The bytes of a lock file. */
export function printRecord(record: LockRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

function parseRecord(text: string, file: string, id: RunId): LockRecord {
  try {
    return lockSchema().parse(JSON.parse(text));
  } catch {
    throw new DamagedLockError(id, file);
  }
}
