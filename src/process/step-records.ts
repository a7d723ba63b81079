import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Selects steps of a run: one attempt by its token, or all up to an epoch (null: all). */
export type StepFilter = { readonly token: string } | { readonly epoch: number | null };

/**
 * The record file of a step, named after its token without the secret run token (`stepToken` in
 * ports/orphans.ts).
 */
export function recordFile(folder: string, token: string): string {
  return join(folder, token.slice(token.indexOf(".") + 1));
}

export function recordFiles(folder: string, which: StepFilter): readonly string[] {
  if ("token" in which) return [recordFile(folder, which.token)];
  const names = namesIn(folder);
  return names.filter((name) => isWithinEpoch(which.epoch, name)).map((name) => join(folder, name));
}

/** Synchronous: it is one short call, and the first use of the thread pool takes milliseconds. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Whether a step does not belong to a newer claim than `epoch`. `step`: its token without the run
 * token.
 */
export function isWithinEpoch(epoch: number | null, step: string): boolean {
  const [own, process] = step.split(".");
  return epoch === null || process === undefined || Number(own) <= epoch;
}
