import type { Fault } from "../protocol/fault.ts";
import type { StateName, Transition } from "../protocol/transition.ts";
import type { FoundWorkflows } from "../workflow/found-workflow.ts";
import type { Failure } from "./failure.ts";
import type { Gate } from "./gate.ts";

/** What one outcome means for the agent that produced it. */
export type Decision =
  /** In the order of the text: agents to start, and the one way on. */
  | {
      readonly kind: "move";
      readonly transitions: readonly Transition[];
      readonly implied: boolean;
    }
  /** It would move, and first has to pass what its rules name. */
  | { readonly kind: "verify"; readonly gate: Gate }
  /** The gate has let it through. */
  | { readonly kind: "pass" }
  /** The gate has not: `problem` says how it ended, `said` is the end of what it printed. */
  | { readonly kind: "send-back"; readonly problem: string; readonly said: string }
  | { readonly kind: "remind"; readonly fault: Fault }
  /** The budget broke the conversation off: it goes on later, with a short note. */
  | { readonly kind: "continue"; readonly problem: string }
  /** The same step again, after a back-off. */
  | {
      readonly kind: "retry";
      readonly failure: Failure;
      /** Where the author has said how long to wait, ms; null: the usual back-off. */
      readonly delayMs: number | null;
    }
  /** A script has failed for good, and the agent goes to the state that its author named for that. */
  | { readonly kind: "divert"; readonly target: StateName; readonly problem: string }
  /** The conversation is too large for the state, whose author has named another for that. */
  | { readonly kind: "hand-over"; readonly target: StateName; readonly problem: string }
  /** The step may not start: the state has used up its visits or its budget. */
  | {
      readonly kind: "halt";
      readonly class: "step-limit" | "budget";
      readonly problem: string;
    }
  /** The same step again at once, for the session could not be begun: no retry is counted. */
  | { readonly kind: "again"; readonly problem: string }
  /** The conversation is gone, but the step began in another one, or in none: it is begun anew. */
  | { readonly kind: "reenter"; readonly problem: string }
  /** The conversation is gone, and the user has allowed to go on without it. */
  | { readonly kind: "forget"; readonly problem: string }
  /** A usage limit: nothing that costs money goes on before `until`, epoch ms (null: unknown). */
  | { readonly kind: "limit"; readonly until: number | null; readonly message: string }
  /** Ended by the user: the step is done again on resume. */
  | { readonly kind: "cancelled" }
  | { readonly kind: "fail"; readonly failure: Failure };

/** What a judgement needs to know of the world, once somebody has looked. */
export interface Circumstances {
  /** By what the output says as `cd`: the absolute folder, where it exists and is one. */
  readonly folders: ReadonlyMap<string, string>;
  /** What the paths of other workflows mean that the output, or a rule of its state, names. */
  readonly workflows: FoundWorkflows;
  /** `--lost-session`: whether a conversation that is gone may be forgotten. */
  readonly lostSession: "fail" | "fresh";
}
