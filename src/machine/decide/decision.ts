import type { WorkflowId } from "../../language/protocol/address.ts";
import type { Fault } from "../../language/protocol/fault.ts";
import type { StateName, Transition, WorktreePlace } from "../../language/protocol/transition.ts";
import type { ResolvedWorkflows } from "../../language/workflow/files/found-workflow.ts";
import type { Denial } from "../model/denial.ts";
import type { Failure } from "../model/failure.ts";
import type { Gate } from "../model/gate.ts";
import type { ResolvedSchemas } from "./check-payload.ts";

export type Decision =
  /** In source order: agents to start, and one continuation. */
  | {
      readonly kind: "move";
      readonly transitions: readonly Transition[];
      readonly implied: boolean;
    }
  /** Run gates before the move. */
  | { readonly kind: "verify"; readonly gate: Gate }
  /** The gate passed. */
  | { readonly kind: "pass" }
  /** The gate failed. `problem`: how it ended, `said`: the end of its output. */
  | { readonly kind: "send-back"; readonly problem: string; readonly said: string }
  | { readonly kind: "remind"; readonly fault: Fault }
  /** Tool calls were denied: ask a person whether to allow them. */
  | { readonly kind: "ask-permission"; readonly calls: readonly Denial[] }
  /** The budget cut off the conversation: continue it later. */
  | { readonly kind: "continue"; readonly problem: string }
  /** Retry the step after a backoff. */
  | {
      readonly kind: "retry";
      readonly failure: Failure;
      /** Configured backoff, ms; null: the default. */
      readonly delayMs: number | null;
    }
  /** A script failed permanently: enter its `on_error` state. */
  | { readonly kind: "divert"; readonly target: StateName; readonly problem: string }
  /** The conversation is too large: enter the `on_context` state. */
  | { readonly kind: "hand-over"; readonly target: StateName; readonly problem: string }
  /** The state has used up its visits or its budget. */
  | {
      readonly kind: "halt";
      readonly class: "step-limit" | "budget";
      readonly problem: string;
    }
  /** The session could not start: repeat the step immediately, without counting a retry. */
  | { readonly kind: "again"; readonly problem: string }
  /** The conversation is lost, but the step started in another one or in none: start it again. */
  | { readonly kind: "reenter"; readonly problem: string }
  /** The conversation is lost: continue without it, as the user allowed. */
  | { readonly kind: "forget"; readonly problem: string }
  /** A usage limit until `until`, epoch ms (null: unknown). */
  | { readonly kind: "limit"; readonly until: number | null; readonly message: string }
  /** Cancelled by the user: repeat the step on resume. */
  | { readonly kind: "cancelled" }
  | { readonly kind: "fail"; readonly failure: Failure };

/** Where new agents of a step get their worktrees, or why they cannot have any. */
export type ResolvedPlaces =
  | {
      readonly ok: true;
      readonly place: WorktreePlace;
      /** By absolute folder, its place in the new worktree. Others are outside of the repository. */
      readonly inside: ReadonlyMap<string, string>;
      /** Branches that exist. */
      readonly branches: ReadonlySet<string>;
      /** By workflow, the script that prepares a worktree; others have none. */
      readonly setups: ReadonlyMap<WorkflowId | null, StateName>;
      /** Whether agents whose tag and rule do not say it get a worktree. */
      readonly isDefault: boolean;
    }
  | { readonly ok: false; readonly message: string; readonly hint: string | undefined };

/** Facts from outside of the run, collected before a decision. */
export interface DecisionContext {
  /** Existing folders by `cd` as written: absolute. */
  readonly folders: ReadonlyMap<string, string>;
  readonly workflows: ResolvedWorkflows;
  /** Those that the output can need (`schemasFor`). */
  readonly schemas?: ResolvedSchemas;
  /** Where agents get their worktrees; absent: they get none. */
  readonly worktrees?: ResolvedPlaces | undefined;
  /** `--lost-session`. */
  readonly lostSession: "fail" | "fresh";
}
