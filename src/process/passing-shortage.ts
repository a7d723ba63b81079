import { errorCode } from "../core/error-code.ts";

/**
 * The system has no room for another process, or for its pipes, at this moment
 * (docs/authoring.md, "When something goes wrong").
 */
const PASSING: ReadonlySet<string> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"]);

/** Whether a process could not be started for a reason that passes. */
export function isPassingShortage(error: unknown): boolean {
  return isPassingCode(errorCode(error));
}

export function isPassingCode(code: string | null): boolean {
  return code !== null && PASSING.has(code);
}

/** The pauses between attempts to start a process, ms. */
export function nextPause(ms: number | null): number {
  return ms === null ? FIRST_PAUSE_MS : Math.min(ms * 2, LAST_PAUSE_MS);
}

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;
