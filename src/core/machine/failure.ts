/**
 * Why an attempt, and with it perhaps an agent, did not succeed (docs/authoring.md,
 * "When something goes wrong"). What only one class can tell stands only there.
 */
export type Failure = Said &
  (
    | {
        readonly class: "crash";
        /** What the client said of its session, where that is why it refused to begin. */
        readonly refused: "session-in-use" | null;
      }
    | {
        readonly class: "limit";
        /** Epoch ms at which the usage limit ends, where the client said so. */
        readonly resetsAt: number | null;
      }
    /** `lost-session`: the conversation to go on with is gone. */
    | { readonly class: "outage" | "deterministic" | "cancelled" | "lost-session" }
  );

/** What kind of failure it was. */
export type FailureClass = Failure["class"];
export const FAILURE_CLASSES = [
  "crash",
  "outage",
  "limit",
  "deterministic",
  "cancelled",
  "lost-session",
] as const satisfies readonly FailureClass[];

interface Said {
  /** One sentence: what failed and why. */
  readonly message: string;
  /** What to do; null where there is nothing to advise. */
  readonly hint: string | null;
}

/** A failure of which no more is known than its class. */
export function failure(kind: FailureClass, message: string, hint: string | null = null): Failure {
  switch (kind) {
    case "crash":
      return { class: kind, message, hint, refused: null };
    case "limit":
      return { class: kind, message, hint, resetsAt: null };
    case "outage":
    case "deterministic":
    case "cancelled":
    case "lost-session":
      return { class: kind, message, hint };
  }
}
