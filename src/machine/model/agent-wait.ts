import type { PendingQuestion, WaitCause } from "./activity.ts";
import type { AgentId } from "./agent.ts";

/** Why an agent does not start its next step. */
export type AgentWait =
  /** A usage limit of its coding agent. */
  | {
      readonly kind: "limit";
      readonly until: number;
      readonly message: string;
      /** The coding agent; absent: the default agent of the run. */
      readonly backend?: string | undefined;
    }
  /** Another step probes whether the limit is over. */
  | { readonly kind: "probe"; readonly agent: AgentId }
  /** The backoff before the next attempt, or the `delay` of a tag. */
  | (Extract<WaitCause, { kind: "retry" | "delay" }> & { readonly until: number })
  /** A join; `min`: successful workers required. */
  | {
      readonly kind: "join";
      /** Timeout, epoch ms; null: none. */
      readonly until: number | null;
      /** Running workers. */
      readonly living: number;
      readonly min: number | null;
    }
  /** A manual session. */
  | { readonly kind: "opened"; readonly since: number }
  /** A question; `until`: timeout, epoch ms. */
  | ({ readonly kind: "answer"; readonly until: number | null } & Pick<
      PendingQuestion,
      "number" | "question" | "options"
    >)
  /** `--max-parallel` is reached. */
  | { readonly kind: "place"; readonly maxParallel: number }
  /** Steps in flight may be the last that `--max-steps` allows. */
  | { readonly kind: "steps"; readonly maxSteps: number }
  /** The budget is used up. */
  | { readonly kind: "money"; readonly message: string };
