import type { AgentId } from "./agent.ts";

/** What keeps an agent from its next step. */
export type AgentWait =
  /** A usage limit stands in front of every prompt step of the run. */
  | { readonly kind: "limit"; readonly until: number; readonly message: string }
  /** The limit should be over; one step finds that out, before the others follow. */
  | { readonly kind: "probe"; readonly agent: AgentId }
  /** The pause before the next attempt; `tries` is how often it was tried again so far. */
  | {
      readonly kind: "retry";
      readonly class: "outage" | "crash";
      readonly until: number;
      readonly tries: number;
    }
  /** The `delay` of the tag that led to its state: until then, or until `raymond wake`. */
  | { readonly kind: "delay"; readonly until: number }
  /** The ends of its workers; `min`: so many that end well will do. */
  | {
      readonly kind: "join";
      /** Epoch ms at which it goes on without them; null: never. */
      readonly until: number | null;
      /** How many live. */
      readonly living: number;
      readonly min: number | null;
    }
  /** A person who has opened its conversation, since then. */
  | { readonly kind: "opened"; readonly since: number }
  /** The answer of a person, for so long as it counts; null: for ever. */
  | {
      readonly kind: "answer";
      readonly until: number | null;
      readonly number: number;
      readonly question: string;
      readonly options: readonly string[] | null;
    }
  /** As many prompt steps run as may run at once. */
  | { readonly kind: "place"; readonly maxParallel: number }
  /** The steps that run may be the last that `--max-steps` allows. */
  | { readonly kind: "steps"; readonly maxSteps: number }
  /** The budget is used up: until somebody raises it. */
  | { readonly kind: "money"; readonly message: string };
