import { appendFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { isMissing } from "../../language/basics/error-code.ts";
import { runIdProblem } from "../../machine/model/run-id.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import { nodeDisk } from "../../storage/disk.ts";
import { isLockFile } from "../../storage/lock/lock-file.ts";
import { refuseLinkedPlaces } from "../../storage/refuse-links.ts";
import type { Caller } from "../../wire/caller.ts";
import { sizeIn } from "../../wire/engine/run-size.ts";
import type { LocalRemains, RemoteRemains, RunRemains } from "../../wire/run-source.ts";
import { gitBy } from "../../workspaces/git.ts";
import { remoteRemains } from "../git/run-refs.ts";
import { existingRuns, fleetId, repositoriesOf, whileAbsent } from "../lease/existing-runs.ts";
import type { Database } from "../store/database.ts";

/*
 * Which data in the state folder of a worker belongs to runs of the fleet:
 *
 * F1  A worker records its fleet in the folder. If workers of several fleets have used a folder, an unknown run
 *     may belong to another fleet, so nothing is deleted.
 * F2  The folder may also contain runs of a project. They have a state file or a lock.
 * F3  Nothing else is deleted: users never choose folders below these places.
 */
const PLACES = [
  "runs",
  "debug",
  "fleet/workspaces",
  "fleet/snapshots",
  "fleet/left-behind",
] as const;
const TRASH = "fleet/deleted";

/** Files and refs outside the database, of these runs and of runs that the fleet no longer has. */
export async function remainsOf(
  runs: readonly RunId[],
  folder: string,
  database: Database,
  caller: Caller,
): Promise<RunRemains> {
  const [here, remotes] = await Promise.all([
    localRemains(folder, database),
    remotesOf(runs, database, caller),
  ]);
  return { here, remotes };
}

/** Records that a worker of this fleet uses the folder (F1). */
export async function recordFleet(root: string, fleet: string): Promise<void> {
  if ((await fleetsOf(root)).includes(fleet)) return;
  await mkdir(path.join(root, "fleet"), { recursive: true, mode: 0o700 });
  await appendFile(fleetsFile(root), `${fleet}\n`, { mode: 0o600 });
}

async function fleetsOf(root: string): Promise<readonly string[]> {
  const text = await orMissing(readTextFile(fleetsFile(root), LIMITS.small), "");
  return text.split("\n").filter((line) => line !== "");
}

function fleetsFile(root: string): string {
  return path.join(root, "fleet", "fleets");
}

async function localRemains(
  root: string,
  database: Database,
): Promise<ReadonlyMap<RunId, LocalRemains>> {
  const fleets = await fleetsOf(root);
  if (fleets.length !== 1 || fleets[0] !== (await fleetId(database))) return new Map();
  const ids = await runsIn(root);
  const known = await existingRuns(database, ids);
  const found = ids.map(async (id): Promise<readonly [RunId, LocalRemains]> => {
    const sizes = await Promise.all(foldersOf(root, id).map(sizeIn));
    const remove = async () => {
      await whileAbsent(database, id, () => moveToTrash(root, id));
      // Also deletes what a killed process has left there.
      await rm(path.join(root, TRASH), { recursive: true, force: true });
    };
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return [id, { bytes, isKnown: known.has(id), remove }];
  });
  return new Map(await Promise.all(found));
}

/** Fleet runs with data in the folder. Rejects if a place in it is a symbolic link. */
async function runsIn(root: string): Promise<readonly RunId[]> {
  const disk = nodeDisk();
  const parents = ["fleet", ...PLACES, TRASH].map((place) => path.join(root, place));
  await refuseLinkedPlaces(disk, root, parents);
  const names = await Promise.all(PLACES.map((place) => namesIn(path.join(root, place))));
  const ids = [...new Set(names.flat())].filter((name) => runIdProblem(name) === null);
  const states = new Set(await namesIn(path.join(root, "workflows")));
  const hasLock = async (id: RunId) =>
    (await namesIn(path.join(root, "runs", id))).some(isLockFile);
  const ofProject = await Promise.all(
    ids.map(async (id) => states.has(`${id}.json`) || (await hasLock(id))),
  );
  const others = ids.filter((_, at) => ofProject[at] === false).toSorted();
  await refuseLinkedPlaces(
    disk,
    root,
    others.flatMap((id) => foldersOf(root, id)),
  );
  return others;
}

/** The folders that a run may have. */
function foldersOf(root: string, id: RunId): readonly string[] {
  return PLACES.map((place) => path.join(root, place, id));
}

/** Fast, because it blocks the submission of a run with this id. */
async function moveToTrash(root: string, id: RunId): Promise<void> {
  for (const [at, folder] of foldersOf(root, id).entries()) {
    const to = path.join(root, TRASH, `${String(process.pid)}-${String(at)}-${id}`);
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    await rm(to, { recursive: true, force: true });
    await orMissing(rename(folder, to), undefined);
  }
}

function namesIn(folder: string): Promise<readonly string[]> {
  return orMissing<readonly string[]>(readdir(folder), []);
}

async function orMissing<T>(read: Promise<T>, missing: T): Promise<T> {
  return read.catch((error: unknown) => {
    if (isMissing(error)) return missing;
    throw error;
  });
}

async function remotesOf(
  runs: readonly RunId[],
  database: Database,
  caller: Caller,
): Promise<readonly RemoteRemains[]> {
  const repositories = await repositoriesOf(database, runs);
  if (repositories.size === 0) return [];
  const { processes } = await caller.system();
  const git = gitBy(processes.start, caller.env);
  return Promise.all(
    [...new Set(repositories.values())].map((repository) => {
      const its = runs.filter((run) => repositories.get(run) === repository);
      return remoteRemains(repository, its, git);
    }),
  );
}
