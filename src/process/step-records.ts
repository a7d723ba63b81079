import * as fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const readdir = promisify(fs.readdir);

/** Which steps of a run are meant: one attempt by its token, or all up to an epoch (null: all). */
export type WhichSteps = { readonly token: string } | { readonly epoch: number | null };

/** The file of a step: its token without that of the run, which stays secret (`stepToken` in ports/leftovers.ts). */
export function recordFile(folder: string, token: string): string {
  return join(folder, token.slice(token.indexOf(".") + 1));
}

/** The files of these steps. */
export async function recordFiles(folder: string, which: WhichSteps): Promise<readonly string[]> {
  if ("token" in which) return [recordFile(folder, which.token)];
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => isUpTo(which.epoch, name)).map((name) => join(folder, name));
}

/** Whether a step is not of a newer claim than `epoch`. `step`: its token without that of the run. */
export function isUpTo(epoch: number | null, step: string): boolean {
  const [own, process] = step.split(".");
  return epoch === null || process === undefined || Number(own) <= epoch;
}
