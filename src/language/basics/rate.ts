import { printDuration } from "./duration.ts";

/** At most `runs` in any interval of `ms`. */
export interface Rate {
  readonly runs: number;
  readonly ms: number;
}

/** The syntax of `raymond fleet limits set`: `10/1h`. */
export function printRate({ runs, ms }: Rate): string {
  return `${String(runs)}/${printDuration(ms)}`;
}
