import path from "node:path";
import * as z from "zod/mini";
import { errorCode } from "../../language/basics/error-code.ts";
import { parseBoundedJson } from "../../language/basics/json-object.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Disk } from "../disk.ts";
import { storageErrors } from "../errors.ts";
import { processFields } from "./process-record.ts";

const lockSchema = () =>
  z.object({ ...processFields(), started_at: z.string(), released: z.boolean() });

/** Content of a lock file (docs/state-file.md, "Locking"). */
export type LockRecord = z.infer<ReturnType<typeof lockSchema>>;

export interface Generation {
  readonly number: number;
  readonly file: string;
  readonly record: LockRecord;
}

const LOCK_FILE = /^lock\.([1-9][0-9]{0,14})$/;
const CLAIM_FILE = /^claim\.[0-9a-f-]+$/;

export function lockFile(folder: string, generation: number): string {
  return path.join(folder, `lock.${String(generation)}`);
}

/** Whether a file in a run's folder is a lock or a claim. */
export function isLockFile(name: string): boolean {
  return LOCK_FILE.test(name) || CLAIM_FILE.test(name);
}

export function isClaimFile(name: string): boolean {
  return CLAIM_FILE.test(name);
}

/** Numbers of the existing generations, ascending. */
export async function generations(disk: Disk, folder: string): Promise<readonly number[]> {
  const names = await disk.names(folder);
  const found = names.flatMap((name) => {
    const number = LOCK_FILE.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  return found.sort((a, b) => a - b);
}

/** Null if the run was never locked. Throws `store/damaged-lock`. */
export async function latestGeneration(
  disk: Disk,
  folder: string,
  id: RunId,
): Promise<Generation | null> {
  for (;;) {
    const number = (await generations(disk, folder)).at(-1);
    if (number === undefined) return null;
    const file = lockFile(folder, number);
    const text = await disk.read(file).catch((error: unknown) => {
      // A higher generation has replaced it since.
      if (errorCode(error) === "ENOENT") return null;
      throw error;
    });
    if (text === null) continue;
    return { number, file, record: parseRecord(text.toString(), file, id) };
  }
}

export function printRecord(record: LockRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

function parseRecord(text: string, file: string, id: RunId): LockRecord {
  try {
    return lockSchema().parse(parseBoundedJson(text));
  } catch {
    throw storageErrors["store/damaged-lock"](id, file);
  }
}
