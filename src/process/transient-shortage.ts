import { errorCode } from "../language/basics/error-code.ts";

/**
 * Errors of a system without room for another process or its pipes (docs/authoring.md, "Error
 * handling").
 */
const PASSING: ReadonlySet<string> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"]);

/** Whether starting a process failed for a temporary reason. */
export function isTransientShortage(error: unknown): boolean {
  return isTransientCode(errorCode(error));
}

export function isTransientCode(code: string | null): boolean {
  return code !== null && PASSING.has(code);
}

/** The delay before the next attempt, ms. */
export function nextDelay(ms: number | null): number {
  return ms === null ? FIRST_PAUSE_MS : Math.min(ms * 2, LAST_PAUSE_MS);
}

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;
