import type { RunId } from "./machine/run-state.ts";
import { isDeviceName } from "./windows-name.ts";

/**
 * What an id of a run looks like (docs/state-file.md, "Where things lie").
 * {@link runIdProblem} is the whole check.
 */
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

const TAIL_LENGTH = 6;
const TAIL_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/**
 * Why a text cannot be the id of a run, as a clause that follows the quoted id
 * (`is a device name on Windows`); null when it can. To be asked wherever an
 * id comes from a user: what passes is safe as a file name on every platform.
 */
export function runIdProblem(id: string): string | null {
  if (id === "") return "is empty";
  if (id.length > 100) return "is longer than 100 characters";
  if (!RUN_ID.test(id)) {
    return "is not made of letters, digits, - and _ (and it must begin with a letter or a digit)";
  }
  if (id.toLowerCase() === "latest") return "is the word for the run that was started last";
  if (isDeviceName(id)) return "is a device name on Windows";
  return null;
}

/**
 * A new id, `wf-YYYY-MM-DD-xxxxxx`, with the day in UTC. `random(n)` gives an
 * integer from 0 to n - 1.
 */
export function newRunId(date: Date, random: (n: number) => number): RunId {
  const day = date.toISOString().slice(0, "YYYY-MM-DD".length);
  const tail = Array.from({ length: TAIL_LENGTH }, () =>
    TAIL_ALPHABET.charAt(random(TAIL_ALPHABET.length)),
  );
  return `wf-${day}-${tail.join("")}`;
}

/** The six characters at the end of an id that raymond has made; null for other ids. */
export function runTail(id: RunId): string | null {
  return /^wf-.*-([0-9a-z]{6})$/.exec(id)?.[1] ?? null;
}
