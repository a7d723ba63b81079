import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { RunSummary } from "../ports/store.ts";
import type { Caller } from "../runs/caller.ts";
import type { FleetBoard } from "../runs/fleet-board.ts";
import { summaryJson } from "../runs/json/summary-json.ts";
import { list } from "../runs/list.ts";
import { type Place, stateRoot } from "../runs/wire/stores.ts";
import type { FolderJson, OlderRunsJson } from "./api.ts";
import { FolderGoneError, NoRunsThereError } from "./errors.ts";
import { fleetJson } from "./fleet-list.ts";
import { isAway, problemOf } from "./problem.ts";
import type { OlderWanted } from "./request.ts";

/** A state folder that is shown, or a fleet. */
export interface ServedFolder {
  /** What it is called in addresses. */
  readonly key: string;
  /** The state folder; of a fleet its database, as it is shown. */
  readonly root: string;
  /** The folder of the project; of a fleet as `root`. */
  readonly project: string;
  /** Who is in the project's folder; of a fleet where the server was started: what is started lies below. */
  readonly caller: Caller;
  /** The folder was there, and so it must be. */
  readonly stood: boolean;
  /** Of a fleet; null of a state folder. */
  readonly board: FleetBoard | null;
}

/** The state folders that are meant: of the project, or each as it is named. Rejects with a RaymondError. */
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
      ...{ root, project, stood: existsSync(root), board: null },
      caller: { ...caller, cwd: real(project) },
    };
  });
}

/** A fleet, to be shown as a folder is. */
export function servedFleet(board: FleetBoard, caller: Caller): ServedFolder {
  const { runs: fleet } = board;
  const root = fleet.shown;
  return {
    key: keyOf(root),
    ...{ root, project: root, stood: false, board },
    caller: { ...caller, fleet },
  };
}

function keyOf(at: string): string {
  return createHash("sha256").update(at).digest("hex").slice(0, 12);
}

/** The folder of a project, or a state folder. */
async function rootIn(folder: string, caller: Caller): Promise<string> {
  if (existsSync(path.join(folder, ".raymond"))) {
    return stateRoot({ stateDir: path.join(folder, ".raymond") }, caller);
  }
  const runs = await readdir(path.join(folder, "runs")).catch(() => null);
  if (runs === null && path.basename(folder) !== ".raymond") throw new NoRunsThereError(folder);
  return stateRoot({ stateDir: folder }, caller);
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** What the list shows of it. Never rejects for what can be said instead; `before`: what was shown last. */
export async function folderJson(of: ServedFolder, before?: FolderJson): Promise<FolderJson> {
  const { key: folder, root, project, board, caller } = of;
  const named = { folder, path: root, project, starts_in: caller.cwd };
  try {
    const shown = board === null ? await runsIn(of) : await fleetJson(board);
    return { ...named, ...shown, problem: null };
  } catch (error) {
    const last = isAway(error) ? before : undefined;
    return { ...NOTHING, ...last, ...named, problem: problemOf(error) };
  }
}

type Shown = Omit<FolderJson, "folder" | "path" | "project" | "starts_in" | "problem">;

const NOTHING: Shown = { runs: [], more: 0, older: null, fleet: null };

async function runsIn({ root, stood, caller }: ServedFolder): Promise<Shown> {
  if (stood && !existsSync(root)) throw new FolderGoneError(root);
  const { runs } = await list({ stateDir: root }, caller);
  const shown = runs.slice(0, MOST_RUNS);
  const more = runs.length - shown.length;
  const last = shown.at(-1);
  const older = more === 0 || last === undefined ? null : cursorOf(last);
  return { ...NOTHING, runs: shown.map(summaryJson), more, older };
}

/** Runs of a state folder that started before those of the list. */
export async function olderRunsIn(
  { root, caller }: Pick<ServedFolder, "root" | "caller">,
  { after, statuses, words }: OlderWanted,
): Promise<OlderRunsJson> {
  const { runs } = await list({ stateDir: root }, caller);
  const wanted = runs.filter(
    (run) =>
      cursorOf(run) < after &&
      (statuses.length === 0 || statuses.includes(run.status)) &&
      words.every((word) => wordsOf(run).includes(word.toLowerCase())),
  );
  const shown = wanted.slice(0, MOST_RUNS);
  const last = shown.at(-1);
  const hasMore = wanted.length > shown.length;
  return {
    runs: shown.map(summaryJson),
    older: hasMore && last !== undefined ? cursorOf(last) : null,
  };
}

/** Sorts as the list does: by start, then by id. */
function cursorOf({ startedAt, updatedAt, id }: RunSummary): string {
  return `${startedAt ?? updatedAt} ${id}`;
}

function wordsOf({ id, workflow, status, problem, questions }: RunSummary): string {
  const asked = questions.map(({ agent, question }) => `${agent} ${question ?? ""}`);
  return [id, workflow, status.replaceAll("_", " "), problem, ...asked].join(" ").toLowerCase();
}

/** Runs of one answer: the list has the newest, and older ones are asked for. */
const MOST_RUNS = 500;
