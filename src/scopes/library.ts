import path from "node:path";
import type { Scope } from "../engine/ports/scope.ts";
import type { Workflows } from "../engine/ports/workflows.ts";
import { RaymondError } from "../language/basics/errors.ts";
import { copyHash, type WorkflowId, workflowName } from "../language/protocol/address.ts";
import type { ResolvedWorkflow } from "../language/workflow/files/found-workflow.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { describeProblem } from "../language/workflow/files/state-file.ts";
import { stateProblem } from "../language/workflow/state-problem.ts";
import type { RunState } from "../machine/run-state.ts";
import { copiedManifest, copiedScope, copyWorkflow } from "./copies.ts";
import { folderScope } from "./folder.ts";
import { type ChangedFiles, KnownStates } from "./known-states.ts";
import { type Bounds, isBelow, resolveInLibrary } from "./library-path.ts";
import { type LocatedWorkflow, locateWorkflow, manifestIn } from "./open.ts";
import {
  type ProtectedFolder,
  protectedPaths,
  stateFolder,
  workflowFile,
  workflowFolder,
} from "./protected-paths.ts";
import { copiedSingleFileManifest } from "./single-file.ts";

export interface LibraryOptions {
  /** The started workflow and its scope. */
  readonly started: Pick<RunState["workflow"], "kind" | "path"> & { readonly scope: Scope };
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
  /** Records the states of the started workflow, to detect later changes. */
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
  const { started, workflowPath, platform, copies, stateRoot, detectChangesSince } = options;
  const home = path.resolve(started.kind === "folder" ? started.scope.dir : started.path);
  const bounds = { root: path.dirname(home), home, further: workflowPath };
  const scopes = new Map<WorkflowId | null, Scope>([[null, started.scope]]);
  const copying = new Map<string, Promise<void>>();
  const states =
    detectChangesSince === undefined
      ? null
      : new KnownStates(detectChangesSince, options.changedFiles);

  const placeOf = (workflow: WorkflowId | null): string =>
    path.resolve(workflow?.startsWith("./") === false ? bounds.root : home, nameOf(workflow));
  const copyOf = (workflow: WorkflowId): string | null => {
    const hash = copyHash(workflow);
    return hash === null || copies === null ? null : path.join(copies, hash);
  };
  const open = (workflow: WorkflowId | null): Scope => {
    const copy = workflow === null ? null : copyOf(workflow);
    const place = placeOf(workflow);
    return copy === null ? folderScope(place) : copiedScope(place, copy);
  };
  const scope = (workflow: WorkflowId | null): Scope => {
    const known = scopes.get(workflow) ?? open(workflow);
    scopes.set(workflow, known);
    return known;
  };
  const manifestOf = (workflow: WorkflowId | null): Promise<Manifest> => {
    if (workflow === null) {
      const { dir } = started.scope;
      return started.kind === "yaml" ? copiedSingleFileManifest(dir) : manifestIn(dir);
    }
    const copy = copyOf(workflow);
    const place = placeOf(workflow);
    return copy === null ? manifestIn(place) : copiedManifest(place, copy);
  };
  const recordEntered = async (workflow: WorkflowId): Promise<void> => {
    const opened = scope(workflow);
    const original = copyOf(workflow) === null ? null : placeOf(workflow);
    await states?.record(opened, { original });
  };
  const protectedFolders = (): readonly ProtectedFolder[] => [
    ...(stateRoot === undefined ? [] : [stateFolder(stateRoot)]),
    ...(started.kind === "folder" ? [] : [workflowFile(home)]),
    ...[...scopes].flatMap(([workflow, opened]) => {
      const isCopy = workflow !== null && copyOf(workflow) !== null;
      return [workflowFolder(opened), ...(isCopy ? [workflowFile(placeOf(workflow))] : [])];
    }),
  ];

  /** The id of a workflow in this run. Resolves after a copy is complete. */
  const enter = async (located: LocatedWorkflow): Promise<WorkflowId | null> => {
    const { kind, home: there, sha256 } = located;
    if (there === home && kind === "folder") return null;
    const name = nameIn(bounds, there).replaceAll("\\", "/");
    if (sha256 === null || copies === null) {
      await recordEntered(name);
      return name;
    }
    const copy = path.join(copies, sha256);
    // Agents that enter it at the same time share one copy.
    const made = copying.get(copy) ?? copyWorkflow(located, copy);
    copying.set(copy, made);
    await made.finally(() => copying.delete(copy));
    const id = `${name}@${sha256}`;
    await recordEntered(id);
    return id;
  };

  return {
    scope,
    async find(from, written): Promise<ResolvedWorkflow> {
      try {
        const place = await resolveInLibrary(written, placeOf(from), bounds);
        const located = await locate(place, platform);
        const first = await located.load(located.entry);
        const problem = stateProblem(first, located.names, platform);
        if (problem !== null) {
          const where = located.pathOf(located.entry);
          return none(written, describeProblem(where, problem), problem.hint);
        }
        const takes = await located.manifest();
        return {
          ok: true,
          entry: { workflow: await enter(located), state: located.entry },
          parameters: takes,
        };
      } catch (error) {
        if (error instanceof RaymondError) return none(written, error.message, error.hint);
        throw error;
      }
    },
    async vars(workflow) {
      return (await manifestOf(workflow)).vars;
    },
    place: placeOf,
    source(fullName) {
      const cut = fullName.lastIndexOf("/");
      const name = fullName.slice(0, Math.max(0, cut));
      const entered = [...scopes.keys()].findLast((id) => id !== null && workflowName(id) === name);
      return scope(entered ?? null).source(fullName.slice(cut + 1));
    },
    protectedPaths: (cwd) => protectedPaths(protectedFolders(), cwd),
    recordStates: async () => states?.record(started.scope, null),
    async changeOf(workflow, state) {
      // A resumed agent may be in a workflow that this process has not entered.
      if (workflow !== null) await recordEntered(workflow);
      return states?.changeOf(scope(workflow), state) ?? null;
    },
    acceptChange: (workflow, state) => states?.accept(scope(workflow), state),
    refuseChange: (workflow, state) => states?.refuse(scope(workflow), state),
    changedFiles: async () => (await states?.changes()) ?? NO_CHANGES,
  };
}

const NO_CHANGES: ChangedFiles = new Map();

function nameOf(workflow: WorkflowId | null): string {
  return workflow === null ? "" : workflowName(workflow);
}

function nameIn({ root, home }: Bounds, place: string): string {
  if (isBelow(home, place)) return `./${path.relative(home, place)}`;
  return isBelow(root, place) ? path.relative(root, place) : place;
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
