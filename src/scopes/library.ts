import path from "node:path";
import type { Scope } from "../engine/ports/scope.ts";
import type { StateChange, Workflows } from "../engine/ports/workflows.ts";
import { isBelow, pathInside } from "../files/paths.ts";
import { RaymondError } from "../language/basics/errors.ts";
import type { DeclaredPermissions } from "../language/permissions/declared.ts";
import { copyHash, type WorkflowId, workflowName } from "../language/protocol/address.ts";
import type { StateName } from "../language/protocol/transition.ts";
import type { ResolvedWorkflow } from "../language/workflow/files/found-workflow.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { describeProblem } from "../language/workflow/files/state-file.ts";
import type { DeclaredEnvironment } from "../language/workflow/policy/declared-environment.ts";
import type { Sandbox } from "../language/workflow/policy/sandbox.ts";
import type { DeclaredWorktree } from "../language/workflow/policy/worktree.ts";
import { stateProblem } from "../language/workflow/state-problem.ts";
import type { DeniedName } from "../machine/decide/step.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { copiedManifest, copiedScope, copyWorkflow } from "./copies.ts";
import { folderScope } from "./folder.ts";
import { type ChangedFiles, KnownStates } from "./known-states.ts";
import { type Bounds, resolveInLibrary } from "./library-path.ts";
import { type LocatedWorkflow, locateWorkflow } from "./open.ts";
import {
  type ProtectedFolder,
  protectedNames,
  protectedPaths,
  stateFolder,
  workflowFile,
  workflowFolder,
} from "./protected-paths.ts";
import { copiedSingleFileManifest } from "./single-file.ts";
import { manifestIn } from "./workflow-source.ts";

export interface LibraryOptions {
  readonly started: Pick<RunState["workflow"], "kind" | "path"> & {
    readonly scope: Scope;
    /** Its declaration, if its scope is not the folder of a run's copy. */
    readonly manifest?: () => Promise<Manifest>;
  };
  /** `workflow_path`: additional folders with workflows. */
  readonly workflowPath: readonly string[];
  readonly platform: Platform;
  /** Folder for the run's copies of workflows; null without a run: nothing is copied. */
  readonly copies: string | null;
  /** The state folder, which prompt steps must not change. */
  readonly stateRoot?: string;
  /** Epoch ms; without it, changes of state files are not detected. */
  readonly detectChangesSince?: number;
  /** Changes that the previous process left. */
  readonly changedFiles?: ChangedFiles;
}

/** The workflows that a run can enter. */
export interface Library extends Workflows {
  /** The path of a workflow: a folder, a zip or a file with states. */
  place(workflow: WorkflowId): string;
  /** The file to edit, for messages, of a state by its full name. */
  source(fullName: string): string;
  /** Records the states and schemas of the started workflow, to detect later changes. */
  recordStates(): Promise<void>;
  /** The changes of state files that no step has used or refused yet. */
  changedFiles(): Promise<ChangedFiles>;
}

/**
 * The workflows of a run: in the folder that contains the started workflow, and in those of
 * `workflow_path` (docs/protocol.md, "Other workflows"). Folders are read in place, at each step.
 * Zips and single files are copied to the run.
 */
export function openLibrary(options: LibraryOptions): Library {
  return new RunLibrary(options);
}

class RunLibrary implements Library {
  readonly #options: LibraryOptions;
  readonly #home: string;
  readonly #bounds: Bounds;
  readonly #scopes: Map<WorkflowId | null, Scope>;
  readonly #copying = new Map<string, Promise<void>>();
  readonly #states: KnownStates | null;
  readonly #manifests = new Map<WorkflowId | null, Promise<Manifest>>();

  constructor(options: LibraryOptions) {
    const { started, workflowPath, detectChangesSince: since } = options;
    const home = path.resolve(started.kind === "folder" ? started.scope.dir : started.path);
    this.#options = options;
    this.#home = home;
    this.#bounds = { root: path.dirname(home), home, further: workflowPath };
    this.#scopes = new Map([[null, started.scope]]);
    this.#states = since === undefined ? null : new KnownStates(since, options.changedFiles);
  }

  place(workflow: WorkflowId | null): string {
    const folder = workflow?.startsWith("./") === false ? this.#bounds.root : this.#home;
    return path.resolve(folder, workflow === null ? "" : workflowName(workflow));
  }

  scope(workflow: WorkflowId | null): Scope {
    const known = this.#scopes.get(workflow);
    if (known !== undefined) return known;
    const place = this.place(workflow);
    const copy = this.#copyOf(workflow);
    const scope = copy === null ? folderScope(place) : copiedScope(place, copy);
    this.#scopes.set(workflow, scope);
    return scope;
  }

  async find(from: WorkflowId | null, written: string): Promise<ResolvedWorkflow> {
    const { platform } = this.#options;
    try {
      const place = await resolveInLibrary(written, this.place(from), this.#bounds);
      const located = await locate(place, platform);
      const first = await located.load(located.entry);
      const problem = stateProblem(first, located.names, platform);
      if (problem !== null) {
        const where = located.pathOf(located.entry);
        return none(written, describeProblem(where, problem), problem.hint);
      }
      const parameters = await located.manifest();
      const workflow = await this.#enter(located);
      return { ok: true, entry: { workflow, state: located.entry }, parameters };
    } catch (error) {
      if (error instanceof RaymondError) return none(written, error.message, error.hint);
      throw error;
    }
  }

  async vars(workflow: WorkflowId | null): Promise<Manifest["vars"]> {
    return (await this.#manifestOf(workflow)).vars;
  }

  async environment(workflow: WorkflowId | null): Promise<DeclaredEnvironment> {
    return (await this.#declared(workflow)).env;
  }

  async permissions(workflow: WorkflowId | null): Promise<DeclaredPermissions> {
    return (await this.#declared(workflow)).permissions;
  }

  async sandbox(workflow: WorkflowId | null): Promise<Sandbox | null> {
    return (await this.#declared(workflow)).sandbox;
  }

  async worktree(workflow: WorkflowId | null): Promise<DeclaredWorktree> {
    return (await this.#declared(workflow)).worktree;
  }

  async agents(workflow: WorkflowId | null, state: StateName): Promise<readonly string[] | null> {
    try {
      const file = await this.scope(workflow).load(state);
      if (file.kind === "script") return null;
      if (file.agents !== null) return file.agents;
      // Those of the started workflow are among the settings of the run.
      return workflow === null ? null : ((await this.#declared(workflow)).defaults.agent ?? null);
    } catch (error) {
      if (error instanceof RaymondError) return null;
      throw error;
    }
  }

  source(fullName: string): string {
    const cut = fullName.lastIndexOf("/");
    const name = fullName.slice(0, Math.max(0, cut));
    const ids = [...this.#scopes.keys()];
    const entered = ids.findLast((id) => id !== null && workflowName(id) === name);
    return this.scope(entered ?? null).source(fullName.slice(cut + 1));
  }

  protectedPaths(cwd: string): Promise<readonly string[]> {
    return protectedPaths(this.#protectedFolders(), cwd);
  }

  protectedNames(cwd: string): readonly DeniedName[] {
    return protectedNames(this.#protectedFolders(), cwd);
  }

  #protectedFolders(): readonly ProtectedFolder[] {
    const { stateRoot, started } = this.#options;
    return [
      ...(stateRoot === undefined ? [] : [stateFolder(stateRoot)]),
      ...(started.kind === "folder" ? [] : [workflowFile(this.#home)]),
      ...[...this.#scopes].flatMap(([workflow, opened]) => {
        const original =
          this.#copyOf(workflow) === null ? [] : [workflowFile(this.place(workflow))];
        return [workflowFolder(opened), ...original];
      }),
    ];
  }

  async recordStates(): Promise<void> {
    await this.#states?.record(this.#options.started.scope, null);
  }

  async changeOf(workflow: WorkflowId | null, name: string): Promise<StateChange | null> {
    // A resumed agent may be in a workflow that this process has not entered.
    if (workflow !== null) await this.#recordEntered(workflow);
    return this.#states?.changeOf(this.scope(workflow), name) ?? null;
  }

  acceptChange(workflow: WorkflowId | null, name: string): void {
    this.#states?.accept(this.scope(workflow), name);
  }

  refuseChange(workflow: WorkflowId | null, name: string): void {
    this.#states?.refuse(this.scope(workflow), name);
  }

  async changedFiles(): Promise<ChangedFiles> {
    return (await this.#states?.changes()) ?? NO_CHANGES;
  }

  #copyOf(workflow: WorkflowId | null): string | null {
    const { copies } = this.#options;
    const hash = workflow === null ? null : copyHash(workflow);
    return hash === null || copies === null ? null : path.join(copies, hash);
  }

  /** As it was when a step first asked. */
  #declared(workflow: WorkflowId | null): Promise<Manifest> {
    const known = this.#manifests.get(workflow);
    if (known !== undefined) return known;
    const read = this.#manifestOf(workflow);
    this.#manifests.set(workflow, read);
    return read;
  }

  #manifestOf(workflow: WorkflowId | null): Promise<Manifest> {
    const { started } = this.#options;
    if (workflow === null) {
      const { dir } = started.scope;
      if (started.manifest !== undefined) return started.manifest();
      return started.kind === "yaml" ? copiedSingleFileManifest(dir) : manifestIn(dir);
    }
    const copy = this.#copyOf(workflow);
    const place = this.place(workflow);
    return copy === null ? manifestIn(place) : copiedManifest(place, copy);
  }

  async #recordEntered(workflow: WorkflowId): Promise<void> {
    const opened = this.scope(workflow);
    const original = this.#copyOf(workflow) === null ? null : this.place(workflow);
    await this.#states?.record(opened, { original });
  }

  /** The id of a workflow in this run. Resolves after a copy is complete. */
  async #enter(located: LocatedWorkflow): Promise<WorkflowId | null> {
    const { kind, home, sha256 } = located;
    const { copies } = this.#options;
    if (home === this.#home && kind === "folder") return null;
    const name = nameIn(this.#bounds, home).replaceAll("\\", "/");
    if (sha256 === null || copies === null) {
      await this.#recordEntered(name);
      return name;
    }
    const copy = path.join(copies, sha256);
    // Agents that enter it at the same time share one copy.
    const made = this.#copying.get(copy) ?? copyWorkflow(located, copy);
    this.#copying.set(copy, made);
    await made.finally(() => this.#copying.delete(copy));
    const id = `${name}@${sha256}`;
    await this.#recordEntered(id);
    return id;
  }
}

const NO_CHANGES: ChangedFiles = new Map();

function nameIn({ root, home }: Bounds, place: string): string {
  if (isBelow(home, place)) return `./${path.relative(home, place)}`;
  return pathInside(root, place) ?? place;
}

/** The path may name a state in a zip or in a single file. */
function locate(place: string, platform: Platform): Promise<LocatedWorkflow> {
  const holder = path.dirname(place);
  return /\.(?:zip|ya?ml)$/.test(holder)
    ? locateWorkflow(holder, platform, path.basename(place))
    : locateWorkflow(place, platform);
}

function none(written: string, problem: string, hint: string | undefined): ResolvedWorkflow {
  const cannot = `Cannot enter the workflow ${written}: ${problem}`;
  const message = hint === undefined ? cannot : `${cannot} ${hint}`;
  return { ok: false, fault: { code: "bad-workflow", message } };
}
