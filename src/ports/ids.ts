/** Names that must be new, as a port. */
export interface Ids {
  /** A UUID, for a session. */
  session(): string;
}
