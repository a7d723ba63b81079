import type { WorkflowId } from "../core/protocol/address.ts";
import type { StateName } from "../core/protocol/transition.ts";
import type { FoundWorkflow } from "../core/workflow/found-workflow.ts";
import type { DeclaredVar } from "../core/workflow/manifest.ts";
import type { Scope } from "./scope.ts";

/**
 * The workflows of a run: the one that was started (null), and those that its
 * states enter (docs/protocol.md, "Other workflows").
 */
export interface Workflows {
  /** The states of one: the same scope for as long as the run is driven. */
  scope(workflow: WorkflowId | null): Scope;
  /**
   * What a path means that a state of `from` names. All of it is looked at that
   * can be wrong before anything is paid, and what must outlive its original is
   * copied to the run before this resolves. Never rejects for what is wrong with
   * the path or with what it leads to.
   */
  find(from: WorkflowId | null, path: string): Promise<FoundWorkflow>;
  /** The variables that a workflow declares in its `workflow.yaml`. Rejects with a RaymondError where that cannot be read. */
  vars(workflow: WorkflowId | null): Promise<readonly DeclaredVar[]>;
  /** Absolute paths of files and folders that a prompt step working in `cwd` must not change. */
  protectedPaths(cwd: string): Promise<readonly string[]>;
  /** How the file of a state differs from what it was when the run started or was resumed; null: it does not. */
  changeOf(workflow: WorkflowId | null, state: StateName): Promise<StateChange | null>;
  /** From now on the file of a state counts as unchanged. */
  acceptChange(workflow: WorkflowId | null, state: StateName): void;
}

/** What happened to the file of a state during a run. */
export type StateChange = "changed" | "added";
