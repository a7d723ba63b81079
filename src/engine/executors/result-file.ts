import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A private file with the pending payload of a script step: `RAYMOND_RESULT_FILE`. */
export interface ResultFile {
  readonly path: string;
  /** Never rejects: a leftover file is no reason to fail a step. */
  remove(): Promise<void>;
}

/**
 * Writes a payload to a new file in `dir`, readable by its owner only. Rejects as `writeFile` does.
 */
export async function writeResultFile(dir: string, payload: string): Promise<ResultFile> {
  const path = join(dir, `result-${randomBytes(9).toString("hex")}.txt`);
  const remove = (): Promise<void> => rm(path, { force: true }).catch(() => undefined);
  try {
    await writeFile(path, payload, { mode: 0o600, flag: "wx" });
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}
