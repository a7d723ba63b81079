import path from "node:path";
import { RaymondError } from "../core/errors.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { copyHash, type WorkflowId, workflowName } from "../core/protocol/address.ts";
import type { FoundWorkflow } from "../core/workflow/found-workflow.ts";
import type { Manifest } from "../core/workflow/manifest.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { describeProblem } from "../core/workflow/state-file.ts";
import { stateProblem } from "../core/workflow/state-problem.ts";
import type { Scope } from "../ports/scope.ts";
import type { Workflows } from "../ports/workflows.ts";
import { copiedManifest, copiedScope, copyWorkflow } from "./copies.ts";
import { folderScope } from "./folder.ts";
import { KnownStates } from "./known-states.ts";
import { type Bounds, isBelow, placeInLibrary } from "./library-path.ts";
import { type Located, locateWorkflow, manifestIn } from "./open.ts";
import {
  type ProtectedFolder,
  protectedPaths,
  stateFolder,
  workflowFile,
  workflowFolder,
} from "./protected-paths.ts";
import { placedManifest } from "./single-file.ts";

/** What a library is made of. */
export interface LibraryOptions {
  /** The workflow that was started, with the folder that holds its states. */
  readonly started: Pick<RunState["workflow"], "kind" | "path"> & { readonly scope: Scope };
  /** `workflow_path`: further folders in which a workflow may lie. */
  readonly workflowPath: readonly string[];
  readonly platform: Platform;
  /** Where the run keeps copies of workflows; null: there is no run, and nothing is copied. */
  readonly copies: string | null;
  /** The folder with settings and runs: prompt steps must not change it. */
  readonly stateRoot?: string;
  /** Epoch ms; without it changes of state files are not detected. */
  readonly detectChangesSince?: number;
}

/** The workflows that a run can reach. */
export interface Library extends Workflows {
  /** Where a workflow is that was found: a folder, a zip or a file with states. */
  place(workflow: WorkflowId): string;
  /** The file to mend, for messages, of a state by its full name. */
  source(fullName: string): string;
  /** Records the states of the started workflow: later changes of them are detected. */
  recordStates(): Promise<void>;
}

/**
 * The library of a run: the folder that holds the started workflow, and those of
 * `workflow_path` (docs/protocol.md, "Other workflows"). A folder is read where it
 * lies, at each step; of a zip and of a workflow in one file the run has a copy.
 */
export function openLibrary(options: LibraryOptions): Library {
  const { started, workflowPath, platform, copies, stateRoot, detectChangesSince } = options;
  const home = path.resolve(started.kind === "folder" ? started.scope.dir : started.path);
  const bounds = { root: path.dirname(home), home, further: workflowPath };
  const scopes = new Map<WorkflowId | null, Scope>([[null, started.scope]]);
  const copying = new Map<string, Promise<void>>();
  const states = detectChangesSince === undefined ? null : new KnownStates(detectChangesSince);

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
      return started.kind === "yaml" ? placedManifest(dir) : manifestIn(dir);
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

  /** Its name in this run; a copy is there when this resolves. */
  const enter = async (located: Located): Promise<WorkflowId | null> => {
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
    async find(from, written): Promise<FoundWorkflow> {
      try {
        const place = await placeInLibrary(written, placeOf(from), bounds);
        const located = await locate(place, platform);
        const first = await located.load(located.entry);
        const problem = stateProblem(first, located.names, platform);
        if (problem !== null) {
          const where = located.pathOf(located.entry);
          return none(written, describeProblem(where, problem), problem.hint);
        }
        const takes = await located.manifest();
        return { ok: true, entry: { workflow: await enter(located), state: located.entry }, takes };
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
      // A resumed agent may stand in a workflow that this process has not entered.
      if (workflow !== null) await recordEntered(workflow);
      return states?.changeOf(scope(workflow), state) ?? null;
    },
    acceptChange: (workflow, state) => states?.accept(scope(workflow), state),
  };
}

function nameOf(workflow: WorkflowId | null): string {
  return workflow === null ? "" : workflowName(workflow);
}

function nameIn({ root, home }: Bounds, place: string): string {
  if (isBelow(home, place)) return `./${path.relative(home, place)}`;
  return isBelow(root, place) ? path.relative(root, place) : place;
}

/** What lies there: a state can be one of a zip or of a workflow in one file. */
function locate(place: string, platform: Platform): Promise<Located> {
  const holder = path.dirname(place);
  return /\.(?:zip|ya?ml)$/.test(holder)
    ? locateWorkflow(holder, platform, path.basename(place))
    : locateWorkflow(place, platform);
}

function none(written: string, problem: string, hint: string | undefined): FoundWorkflow {
  const told = `The workflow ${written} cannot be entered: ${problem}`;
  const message = hint === undefined ? told : `${told} ${hint}`;
  return { ok: false, fault: { code: "bad-workflow", message } };
}
