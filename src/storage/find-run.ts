import path from "node:path";
import { runTail } from "../machine/model/run-id.ts";
import type { RunId } from "../machine/model/run-state.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { storageErrors } from "./errors.ts";
import { fileStore, runIds } from "./file.ts";
import { refuseBadId } from "./run-home.ts";
import { refuseForeign } from "./state-root.ts";

/** A run, and the `.raymond` folder that contains it. */
export interface FoundRun {
  readonly id: RunId;
  readonly root: string;
}

export interface FindRunOptions {
  /** Paths are relative to this; default: the current folder. */
  readonly launchDir?: string;
  readonly disk?: Disk;
  /** False: do not follow a state file that is a link. */
  readonly followLinks?: boolean | undefined;
  /** Id of the user; null if files have no owners. Default: the current user. */
  readonly user?: number | null;
}

/**
 * Finds a run of this `.raymond` folder by its id, a unique prefix, its six-character tail, the path of a state file
 * (anywhere, also a link), or `latest`. Rejects with `store/unknown-run`, `store/ambiguous-run`, `store/bad-run-id` or
 * `store/misplaced-state`, and for the path of a run of another user like `findStateRoot`.
 */
export async function findRun(
  root: string,
  wanted: string,
  options: FindRunOptions = {},
): Promise<FoundRun> {
  const { launchDir = process.cwd(), disk = nodeDisk(), followLinks = true } = options;
  const byPath = (file: string) => findByPath(file, wanted, disk, options.user);
  /** A link to a state file is that run: saved next to the link, the run would exist twice. */
  const followed = async (id: RunId): Promise<FoundRun> => {
    const file = path.join(root, "workflows", `${id}.json`);
    return followLinks && (await isLink(file, disk)) ? byPath(file) : { id, root };
  };
  if (isPath(wanted)) return byPath(path.resolve(launchDir, wanted));
  if (wanted === "latest") return followed(await latestRun(root, disk));
  refuseBadId(wanted);
  return followed(pickRun(await runIds(disk, root), wanted));
}

/** Throws `store/unknown-run` or `store/ambiguous-run`. */
export function pickRun(ids: readonly RunId[], wanted: string): RunId {
  if (wanted === "latest" && ids[0] !== undefined) return ids[0];
  if (ids.includes(wanted)) return wanted;
  const candidates = ids.filter((id) => id.startsWith(wanted) || runTail(id) === wanted);
  const [only, second] = candidates;
  if (only === undefined) throw storageErrors["store/unknown-run"](wanted, ids);
  if (second !== undefined) throw storageErrors["store/ambiguous-run"](wanted, candidates);
  return only;
}

async function isLink(file: string, disk: Disk): Promise<boolean> {
  const [real, folder] = await Promise.all(
    [file, path.dirname(file)].map((each) => disk.realPath(each).catch(() => null)),
  );
  return typeof real === "string" && real !== path.join(folder ?? "", path.basename(file));
}

async function latestRun(root: string, disk: Disk): Promise<RunId> {
  const runs = await fileStore(root, { disk }).list();
  const latest = runs.find((run) => run.status !== "unreadable") ?? runs[0];
  if (latest === undefined) throw storageErrors["store/unknown-run"]("latest", []);
  return latest.id;
}

function isPath(wanted: string): boolean {
  return wanted.includes("/") || wanted.includes(path.sep) || wanted.endsWith(".json");
}

async function findByPath(
  file: string,
  wanted: string,
  disk: Disk,
  user: FindRunOptions["user"],
): Promise<FoundRun> {
  const real = await disk.realPath(file).catch(() => null);
  if (real === null) throw storageErrors["store/unknown-run"](wanted);
  const folder = path.dirname(real);
  if (!real.endsWith(".json") || path.basename(folder) !== "workflows") {
    throw storageErrors["store/misplaced-state"](real);
  }
  const id = path.basename(real, ".json");
  refuseBadId(id);
  const root = path.dirname(folder);
  for (const place of [root, real]) await refuseForeign(disk, place, user);
  return { id, root };
}
