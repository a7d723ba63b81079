/**
 * What kind of failure it was (docs/authoring.md, "When something goes wrong").
 * `lost-session`: the conversation to go on with is gone.
 */
export type FailureClass =
  | "crash"
  | "outage"
  | "limit"
  | "deterministic"
  | "cancelled"
  | "lost-session";
