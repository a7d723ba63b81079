import { isDeviceName } from "../../language/basics/windows-name.ts";
import type { RunId } from "./run-state.ts";

/** The pattern of run ids (docs/state-file.md, "Files"). {@link runIdProblem} checks more. */
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

const TAIL_LENGTH = 6;
const TAIL_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/**
 * Why a text cannot be a run id, as a clause (`is a device name on Windows`); null if it can. Check
 * every id from a user: valid ids are safe file names on every platform.
 */
export function runIdProblem(id: string): string | null {
  if (id === "") return "is empty";
  if (id.length > 100) return "is longer than 100 characters";
  if (!RUN_ID.test(id)) {
    return "must consist of letters, digits, - and _, and start with a letter or digit";
  }
  if (id.toLowerCase() === "latest") return "is reserved for the latest run";
  if (isDeviceName(id)) return "is a device name on Windows";
  return null;
}

/** A new id, `wf-YYYY-MM-DD-xxxxxx`, with the UTC date. `random(n)` returns an integer from 0 to n - 1. */
export function newRunId(date: Date, random: (n: number) => number): RunId {
  const day = date.toISOString().slice(0, "YYYY-MM-DD".length);
  const tail = Array.from({ length: TAIL_LENGTH }, () =>
    TAIL_ALPHABET.charAt(random(TAIL_ALPHABET.length)),
  );
  return `wf-${day}-${tail.join("")}`;
}

/** The random part of a generated id; null for other ids. */
export function runTail(id: RunId): string | null {
  return /^wf-.*-([0-9a-z]{6})$/.exec(id)?.[1] ?? null;
}
