import path from "node:path";
import type { RunId } from "../core/machine/run-state.ts";
import { runIdProblem, runTail } from "../core/run-id.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import {
  AmbiguousRunError,
  BadRunIdError,
  MisplacedStateError,
  orDiskError,
  UnknownRunError,
} from "./errors.ts";
import { fileStore, runIds } from "./file.ts";
import { refuseForeign } from "./state-root.ts";

/** Which run was meant, and the folder (`.raymond`) whose file store has it. */
export interface FoundRun {
  readonly id: RunId;
  readonly root: string;
}

export interface FindRunOptions {
  /** Paths are relative to this; default: the current folder. */
  readonly launchDir?: string;
  readonly disk?: Disk;
  /** False: a state file that is a link is not the run that it leads to. */
  readonly followLinks?: boolean | undefined;
  /** Id of the user; null where files have no owners. Default: who runs this. */
  readonly user?: number | null;
}

/**
 * The run that a user means (docs/cli.md, "What goes where"), of those in this
 * `.raymond` folder: a full id, a unique prefix, the six-character tail, the
 * path of a state file (anywhere, also through a link), or `latest`. Rejects
 * with an {@link UnknownRunError}, {@link AmbiguousRunError},
 * {@link BadRunIdError} or {@link MisplacedStateError}; and for the path of a
 * run that belongs to another user, as `findStateRoot` does.
 */
export async function findRun(
  root: string,
  wanted: string,
  options: FindRunOptions = {},
): Promise<FoundRun> {
  const { launchDir = process.cwd(), disk = nodeDisk(), followLinks = true } = options;
  const byPath = (file: string) => findByPath(file, wanted, disk, options.user);
  /** A state file that is a link to another is that one, wherever it lies: saved beside the link, the run would be there twice. */
  const followed = async (id: RunId): Promise<FoundRun> => {
    const file = path.join(root, "workflows", `${id}.json`);
    return followLinks && (await isLink(file, disk)) ? byPath(file) : { id, root };
  };
  if (isPath(wanted)) return byPath(path.resolve(launchDir, wanted));
  if (wanted === "latest") return followed(await latestRun(root, disk));
  const problem = runIdProblem(wanted);
  if (problem !== null) throw new BadRunIdError(wanted, problem);

  const folder = path.join(root, "workflows");
  const ids = await orDiskError("list the runs in", folder, () => runIds(disk, root));
  return followed(pickRun(ids, wanted));
}

/** The one of these runs that is meant. Throws an {@link UnknownRunError} or an {@link AmbiguousRunError}. */
export function pickRun(ids: readonly RunId[], wanted: string): RunId {
  if (wanted === "latest" && ids[0] !== undefined) return ids[0];
  if (ids.includes(wanted)) return wanted;
  const candidates = ids.filter((id) => id.startsWith(wanted) || runTail(id) === wanted);
  const [only, second] = candidates;
  if (only === undefined) throw new UnknownRunError(wanted, ids);
  if (second !== undefined) throw new AmbiguousRunError(wanted, candidates);
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
  if (latest === undefined) throw new UnknownRunError("latest", []);
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
  if (real === null) throw new UnknownRunError(wanted);
  const folder = path.dirname(real);
  if (!real.endsWith(".json") || path.basename(folder) !== "workflows") {
    throw new MisplacedStateError(real);
  }
  const id = path.basename(real, ".json");
  const problem = runIdProblem(id);
  if (problem !== null) throw new BadRunIdError(id, problem);
  const root = path.dirname(folder);
  for (const place of [root, real]) await refuseForeign(disk, place, user);
  return { id, root };
}
