import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { RunSummary } from "../../engine/ports/store.ts";
import type { FleetBoard } from "../../inspect/fleet-board.ts";
import { summaryJson } from "../../inspect/json/report-json.ts";
import { list } from "../../inspect/list.ts";
import { onUserError } from "../../language/basics/errors.ts";
import type { Caller } from "../../wire/caller.ts";
import { type Place, stateRoot } from "../../wire/stores.ts";
import { describeWorkflow } from "../../wire/workflow.ts";
import type { FolderJson, OlderRunsJson, WorkflowsJson } from "../api.ts";
import { fleetJson } from "../watch/fleet-list.ts";
import { serveErrors } from "./errors.ts";
import { isAway, problemOf } from "./problem.ts";
import type { OlderQuery } from "./request.ts";

/** A state folder or a fleet that the server shows. */
export interface ServedFolder {
  /** Its name in addresses. */
  readonly key: string;
  /** The state folder. For a fleet its database, without the password. */
  readonly root: string;
  /** The project folder. For a fleet the same as `root`. */
  readonly project: string;
  /** Its `cwd` is the project folder, or for a fleet that of the server. Workflows are started below it. */
  readonly caller: Caller;
  /** If it did, its absence is reported as an error. */
  readonly existedAtStart: boolean;
  /** Null for a state folder. */
  readonly board: FleetBoard | null;
}

/** The named state folders, or the one of the current project. Rejects with a RaymondError. */
export async function findFolders(
  named: readonly string[],
  place: Place,
  caller: Caller,
): Promise<readonly ServedFolder[]> {
  const roots =
    named.length === 0
      ? [await stateRoot(place, caller)]
      : await Promise.all(named.map((folder) => rootIn(path.resolve(caller.cwd, folder), caller)));
  const served = new Map(roots.map((root) => [real(root), root]));
  return [...served].map(([at, root]) => {
    const project = path.basename(root) === ".raymond" ? path.dirname(root) : root;
    return {
      key: keyOf(at),
      ...{ root, project, existedAtStart: existsSync(root), board: null },
      caller: { ...byDashboard(caller), cwd: real(project) },
    };
  });
}

export function servedFleet(board: FleetBoard, caller: Caller): ServedFolder {
  const { runs: fleet } = board;
  const root = fleet.shown;
  return {
    key: keyOf(root),
    ...{ root, project: root, existedAtStart: false, board },
    caller: { ...byDashboard(caller), fleet },
  };
}

/** Users of the dashboard act as the user of its server. */
function byDashboard(caller: Caller): Caller {
  return { ...caller, actor: () => ({ ...caller.actor(), via: "dashboard" }) };
}

function keyOf(at: string): string {
  return createHash("sha256").update(at).digest("hex").slice(0, 12);
}

/** The state folder of a project folder, or the folder itself. */
async function rootIn(folder: string, caller: Caller): Promise<string> {
  if (existsSync(path.join(folder, ".raymond"))) {
    return stateRoot({ stateDir: path.join(folder, ".raymond") }, caller);
  }
  const runs = await readdir(path.join(folder, "runs")).catch(() => null);
  if (runs === null && path.basename(folder) !== ".raymond")
    throw serveErrors["serve/no-runs-there"](folder);
  return stateRoot({ stateDir: folder }, caller);
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The list entry of a folder. Errors become its `problem`. `before`: the previous entry. */
export async function folderJson(of: ServedFolder, before?: FolderJson): Promise<FolderJson> {
  const { key: folder, root, project, board, caller } = of;
  const named = { folder, path: root, project, starts_in: caller.cwd };
  try {
    const shown = board === null ? await runsIn(of) : await fleetJson(board);
    return { ...named, ...shown, problem: null };
  } catch (error) {
    const last = isAway(error) ? before : undefined;
    return { ...NO_RUNS, ...last, ...named, problem: problemOf(error) };
  }
}

type Listing = Omit<FolderJson, "folder" | "path" | "project" | "starts_in" | "problem">;

const NO_RUNS: Listing = { runs: [], more: 0, older: null, fleet: null };

async function runsIn({ root, existedAtStart: stood, caller }: ServedFolder): Promise<Listing> {
  if (stood && !existsSync(root)) throw serveErrors["serve/folder-gone"](root);
  const { runs } = await list({ stateDir: root }, caller);
  return { ...NO_RUNS, ...firstOf(runs), more: Math.max(0, runs.length - MAX_RUNS) };
}

/** Runs of a state folder that are older than those in the list. */
export async function olderRunsIn(
  { root, caller }: Pick<ServedFolder, "root" | "caller">,
  { after, statuses, words }: OlderQuery,
): Promise<OlderRunsJson> {
  const { runs } = await list({ stateDir: root }, caller);
  const matching = runs.filter(
    (run) =>
      cursorOf(run) < after &&
      (statuses.length === 0 || statuses.includes(run.status)) &&
      words.every((word) => wordsOf(run).includes(word.toLowerCase())),
  );
  return firstOf(matching);
}

function firstOf(runs: readonly RunSummary[]): OlderRunsJson {
  const shown = runs.slice(0, MAX_RUNS);
  const last = shown.at(-1);
  const hasMore = runs.length > shown.length && last !== undefined;
  return { runs: shown.map(summaryJson), older: hasMore ? cursorOf(last) : null };
}

/** Sorts like the list: by start, then by id. */
function cursorOf({ startedAt, updatedAt, id }: RunSummary): string {
  return `${startedAt ?? updatedAt} ${id}`;
}

function wordsOf({ id, workflow, status, problem, questions }: RunSummary): string {
  const asked = questions.map(({ agent, question }) => `${agent} ${question ?? ""}`);
  return [id, workflow, status.replaceAll("_", " "), problem, ...asked].join(" ").toLowerCase();
}

/** Runs per response. */
const MAX_RUNS = 500;

/** The workflows in the start folder and in its subfolder `workflows`. */
export async function workflowsIn({ caller }: ServedFolder): Promise<WorkflowsJson["workflows"]> {
  const { cwd } = caller;
  const names = await Promise.all(["", "workflows"].map((folder) => namesIn(cwd, folder)));
  const entries = names.flat().slice(0, MAX_ENTRIES);
  // Most folders are not workflows.
  const none = onUserError(() => []);
  const found = entries.map((name) =>
    describeWorkflow(path.join(cwd, name), caller)
      .then(({ manifest }) => [{ path: name, about: manifest.description }])
      .catch(none),
  );
  return (await Promise.all(found)).flat();
}

/** Entries to check. */
const MAX_ENTRIES = 300;

async function namesIn(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .filter((entry) => entry.isDirectory() || /(?<!\.test|\.sim)\.(?:zip|ya?ml)$/.test(entry.name))
    .map(({ name }) => path.join(folder, name))
    .toSorted();
}
