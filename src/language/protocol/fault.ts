/** Why an output is not a valid transition. */
export const FAULT_CODES = [
  "no-tag",
  "no-reply",
  "several-tags",
  "unclosed-tag",
  "malformed-tag",
  "unknown-state",
  "ambiguous-state",
  "wrong-platform",
  "bad-workflow",
  "not-allowed",
  "bad-cd",
  "payload-too-large",
  "schema-mismatch",
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/**
 * An invalid output, as a value: models make mistakes and are reminded (docs/protocol.md,
 * "Invalid output"). The message is used in reminders to the model and in errors for the user.
 */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
}

/** A valid result, or why there is none. */
export type OrFault<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly fault: Fault };
