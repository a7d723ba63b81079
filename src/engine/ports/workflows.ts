import type { DeclaredPermissions } from "../../language/permissions/declared.ts";
import type { WorkflowId } from "../../language/protocol/address.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { ResolvedWorkflow } from "../../language/workflow/files/found-workflow.ts";
import type { DeclaredVar } from "../../language/workflow/files/manifest.ts";
import type { DeclaredEnvironment } from "../../language/workflow/policy/declared-environment.ts";
import type { Sandbox } from "../../language/workflow/policy/sandbox.ts";
import type { DeclaredWorktree } from "../../language/workflow/policy/worktree.ts";
import type { DeniedName } from "../../machine/decide/step.ts";
import type { Scope } from "./scope.ts";

/**
 * The workflows of a run: the started one (null), and those that its states enter
 * (docs/protocol.md, "Other workflows").
 */
export interface Workflows {
  /** The states of a workflow. Returns the same scope during the whole run. */
  scope(workflow: WorkflowId | null): Scope;
  /**
   * Resolves a path in a state of `from`. Checks everything that can be wrong before any cost.
   * Copies zips and single files to the run before it resolves. Never rejects for an invalid path
   * or workflow.
   */
  find(from: WorkflowId | null, path: string): Promise<ResolvedWorkflow>;
  /**
   * The variables that a workflow declares in its `workflow.yaml`. Rejects with a RaymondError if
   * that cannot be read.
   */
  vars(workflow: WorkflowId | null): Promise<readonly DeclaredVar[]>;
  /**
   * `env` of a workflow, as it was when a step first asked. Rejects with a RaymondError if its
   * `workflow.yaml` cannot be read.
   */
  environment(workflow: WorkflowId | null): Promise<DeclaredEnvironment>;
  /**
   * The permissions that a workflow declares in its `workflow.yaml`. Rejects with a RaymondError if
   * that cannot be read.
   */
  permissions(workflow: WorkflowId | null): Promise<DeclaredPermissions>;
  /**
   * The sandbox of states that declare none, by the `workflow.yaml` of a workflow. Rejects with a
   * RaymondError if that cannot be read.
   */
  sandbox(workflow: WorkflowId | null): Promise<Sandbox | null>;
  /**
   * Whether agents that a workflow forks get a worktree, by its `workflow.yaml`. Rejects with a RaymondError if that
   * cannot be read.
   */
  worktree(workflow: WorkflowId | null): Promise<DeclaredWorktree>;
  /**
   * The coding agents that a prompt state names, or that the `workflow.yaml` of an entered workflow
   * names for it; null: none, or the file cannot be read. Never rejects: the step reports problems.
   */
  agents(workflow: WorkflowId | null, state: StateName): Promise<readonly string[] | null>;
  /** Absolute paths of files and folders that a prompt step in `cwd` must not change. */
  protectedPaths(cwd: string): Promise<readonly string[]>;
  /** Names that it must not add or change. */
  protectedNames(cwd: string): readonly DeniedName[];
  /**
   * How a state file or schema differs from its content at the start or resume of the run; null:
   * unchanged.
   */
  changeOf(workflow: WorkflowId | null, name: string): Promise<StateChange | null>;
  /** Treats the current content of such a file as unchanged. */
  acceptChange(workflow: WorkflowId | null, name: string): void;
  /** Records that the current content was refused: the next resume uses it. */
  refuseChange(workflow: WorkflowId | null, name: string): void;
}

export type StateChange = "changed" | "added";
