/** Why an output is not a valid transition. */
export type FaultCode =
  | "no-tag"
  | "no-reply"
  | "several-tags"
  | "unclosed-tag"
  | "malformed-tag"
  | "unknown-state"
  | "ambiguous-state"
  | "wrong-platform"
  | "bad-workflow"
  | "not-allowed"
  | "bad-cd"
  | "payload-too-large";

/**
 * An output that is not a valid transition, as a value: models make mistakes,
 * and with rules they are reminded (docs/protocol.md, "When there is no valid
 * transition"). `message` is one sentence that fits both a reminder to the model
 * and an error shown to the user.
 */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
}
