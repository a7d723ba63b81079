import { appendFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { runIdProblem } from "../../machine/run-id.ts";
import type { RunId } from "../../machine/run-state.ts";
import { nodeDisk } from "../../storage/disk.ts";
import { isLockFile } from "../../storage/lock/lock-file.ts";
import { refuseLinkedPlaces } from "../../storage/refuse-links.ts";

/*
 * What the folder of a worker has of runs, and whose they are:
 *
 * F1  A worker writes down for which fleets it has worked there. Of a folder that has known several, nobody can say
 *     which of them a run that is unknown was of: then nothing of it is taken for what remains of one.
 * F2  A project's own runs lie there as well. What has a state file, or a lock, is of such a one.
 * F3  Nothing else is ever deleted: no folder that somebody has named lies in one of these places.
 */

/** Writes down that a worker of this fleet works in the folder (F1). */
export async function recordFleet(root: string, fleet: string): Promise<void> {
  if ((await fleetsOf(root)).includes(fleet)) return;
  await mkdir(path.join(root, "fleet"), { recursive: true, mode: 0o700 });
  await appendFile(noteIn(root), `${fleet}\n`, { mode: 0o600 });
}

/** The fleets that workers have worked for in this folder. */
export async function fleetsOf(root: string): Promise<readonly string[]> {
  const noted = await readTextFile(noteIn(root), LIMITS.small).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return "";
    throw error;
  });
  return noted.split("\n").filter((line) => line !== "");
}

/** Runs of which a worker may have left something in the folder. Rejects if a place in it is a symbolic link. */
export async function runsIn(root: string): Promise<readonly RunId[]> {
  const disk = nodeDisk();
  const above = [...PLACES, ASIDE].map((place) => path.join(root, place));
  await refuseLinkedPlaces(disk, root, [path.join(root, "fleet"), ...above]);
  const names = await Promise.all(PLACES.map((place) => namesIn(path.join(root, place))));
  const ids = [...new Set(names.flat())].filter((name) => runIdProblem(name) === null);
  const states = new Set(await namesIn(path.join(root, "workflows")));
  const own = await Promise.all(
    ids.map(async (id) => states.has(`${id}.json`) || (await hasLock(root, id))),
  );
  const others = ids.filter((_, at) => own[at] === false).toSorted();
  await refuseLinkedPlaces(
    disk,
    root,
    others.flatMap((id) => placesOf(root, id)),
  );
  return others;
}

/** The folders of a run, whether they are there or not. */
export function placesOf(root: string, id: RunId): readonly string[] {
  return PLACES.map((place) => path.join(root, place, id));
}

/** Puts the folders of a run aside, at once; {@link emptyAside} deletes them. */
export async function putAside(root: string, id: RunId): Promise<void> {
  for (const [at, place] of placesOf(root, id).entries()) {
    const to = path.join(root, ASIDE, `${String(process.pid)}-${String(at)}-${id}`);
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    await rm(to, { recursive: true, force: true });
    await rename(place, to).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw error;
    });
  }
}

/** Deletes what was put aside, by a process that was killed as well. */
export async function emptyAside(root: string): Promise<void> {
  await rm(path.join(root, ASIDE), { recursive: true, force: true });
}

const PLACES = ["runs", "debug", "fleet/workspaces", "fleet/left-behind"] as const;
const ASIDE = "fleet/deleted";

function noteIn(root: string): string {
  return path.join(root, "fleet", "fleets");
}

async function hasLock(root: string, id: RunId): Promise<boolean> {
  return (await namesIn(path.join(root, "runs", id))).some(isLockFile);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw error;
  });
}
