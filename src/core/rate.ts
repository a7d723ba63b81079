import { printDuration } from "./duration.ts";

/** So many runs in any span of so many ms. */
export interface Rate {
  readonly runs: number;
  readonly ms: number;
}

/** As `raymond limits set` takes it: `10/1h`. */
export function printRate({ runs, ms }: Rate): string {
  return `${String(runs)}/${printDuration(ms)}`;
}
