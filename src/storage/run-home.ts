import path from "node:path";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import { runIdProblem } from "../machine/model/run-id.ts";
import type { RunId } from "../machine/model/run-state.ts";
import type { Disk } from "./disk.ts";
import { orDiskError, storageErrors } from "./errors.ts";

/** The paths of a run (docs/state-file.md). */
export interface RunHome {
  readonly id: RunId;
  /** The folder that holds `workflows`, `runs` and `debug`. */
  readonly root: string;
  readonly stateFile: string;
  /** The run's own folder, with its lock and most artifacts ({@link artifactsOf}). */
  readonly folder: string;
}

/**
 * The paths of a run, links followed: a link to a state file is that run, so that both names have one lock
 * (docs/state-file.md, "Locking"). The result is the same before and after the first save. Throws `store/bad-run-id`.
 */
export async function findHome(disk: Disk, root: string, id: RunId): Promise<RunHome> {
  refuseBadId(id);
  const named = path.join(root, "workflows", `${id}.json`);
  const realPath = (place: string) => orDiskError("find", named, () => disk.realPath(place));
  const real = await realPath(named);
  if (real !== null) {
    const realId = path.basename(real, ".json");
    const followed = runIdProblem(realId) === null ? realId : id;
    return homeIn(path.dirname(path.dirname(real)), followed, real);
  }
  const workflows = path.dirname(named);
  const realFolder = await realPath(workflows);
  if (realFolder !== null) {
    // The folder may be a link: the lock of a new run belongs next to its future state file.
    return homeIn(path.dirname(realFolder), id, path.join(realFolder, `${id}.json`));
  }
  const realRoot = (await realPath(root)) ?? path.resolve(root);
  return homeIn(realRoot, id);
}

/** `root`: without links. */
export function homeIn(
  root: string,
  id: RunId,
  stateFile: string = path.join(root, "workflows", `${id}.json`),
): RunHome {
  return { id, root, stateFile, folder: path.join(root, "runs", id) };
}

export function artifactsOf(home: RunHome): Artifacts {
  return new RunArtifacts(home);
}

/** Joins paths on use: most are never used, and a waiting run would hold all of them in memory. */
class RunArtifacts implements Artifacts {
  readonly #home: RunHome;

  constructor(home: RunHome) {
    this.#home = home;
  }

  get root(): string {
    return this.#home.root;
  }

  get events(): string {
    return this.#in("events.jsonl");
  }

  get journal(): string {
    return this.#in("journal.jsonl");
  }

  get groups(): string {
    return this.#in("groups");
  }

  get requests(): string {
    return this.#in("requests");
  }

  get answers(): string {
    return this.#in("answers");
  }

  get manualSessions(): string {
    return this.#in("openings");
  }

  get changedFiles(): string {
    return this.#in("changed-files.json");
  }

  get output(): string {
    return this.#in("output.txt");
  }

  get transcripts(): string {
    return this.#in("transcripts");
  }

  get snapshots(): string {
    return this.#in("snapshots");
  }

  get debug(): string {
    const { root, id } = this.#home;
    return path.join(root, "debug", id);
  }

  get payloads(): string {
    return this.#in("payloads");
  }

  get workflows(): string {
    return this.#in("workflows");
  }

  get archive(): Artifacts["archive"] {
    return { packed: this.#in("archive.zip"), unpacked: this.#in("scope") };
  }

  #in(name: string): string {
    return path.join(this.#home.folder, name);
  }
}

/** Throws `store/bad-run-id`. */
export function refuseBadId(id: string): void {
  const problem = runIdProblem(id);
  if (problem !== null) throw storageErrors["store/bad-run-id"](id, problem);
}
