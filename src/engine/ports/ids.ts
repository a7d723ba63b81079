/** Creates unique ids. Contract: `tests/contracts/ids.ts`. */
export interface Ids {
  /** A UUID for a session. */
  session(): string;
}
