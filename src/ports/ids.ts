/**
 * Names that must be new, as a port. Contract (`tests/contracts/ids.ts`): none
 * is given twice, in any process.
 */
export interface Ids {
  /** A UUID, for a session. */
  session(): string;
}
