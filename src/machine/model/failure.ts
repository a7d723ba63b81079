/** Why an attempt failed (docs/authoring.md, "Error handling"). */
export type Failure = Said &
  (
    | {
        readonly class: "crash";
        /** Why the client refused to start the session; null: for another reason. */
        readonly refused: "session-in-use" | null;
      }
    | {
        readonly class: "limit";
        /** End of the usage limit, epoch ms; null: unknown. */
        readonly resetsAt: number | null;
      }
    /**
     * `lost-session`: the conversation to continue no longer exists. `denied`: tool calls were denied
     * (`on_denied`).
     */
    | { readonly class: "outage" | "deterministic" | "cancelled" | "lost-session" | "denied" }
  );

export type FailureClass = Failure["class"];
export const FAILURE_CLASSES = [
  "crash",
  "outage",
  "limit",
  "deterministic",
  "cancelled",
  "lost-session",
  "denied",
] as const satisfies readonly FailureClass[];

interface Said {
  readonly message: string;
  readonly hint: string | null;
}

/** A failure without details. */
export function failure(kind: FailureClass, message: string, hint: string | null = null): Failure {
  if (kind === "crash") return { class: kind, message, hint, refused: null };
  if (kind === "limit") return { class: kind, message, hint, resetsAt: null };
  return { class: kind, message, hint };
}
