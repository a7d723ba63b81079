import path from "node:path";
import type { RunId } from "../core/machine/run-state.ts";
import { runIdProblem } from "../core/run-id.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Disk } from "./disk.ts";
import { BadRunIdError, orDiskError } from "./errors.ts";

/** Where the files of a run lie (docs/state-file.md). */
export interface RunHome {
  readonly id: RunId;
  /** The folder that holds `workflows`, `runs` and `debug`. */
  readonly root: string;
  readonly stateFile: string;
  /** The run's own folder: its lock lies there, and nearly all its artifacts ({@link artifactsOf}). */
  readonly folder: string;
}

/**
 * Where a run lies, links followed: a state file that is a link to another
 * belongs to the run that it leads to, so that both names mean one lock
 * (docs/state-file.md, "The lock"). The answer is the same before the first save
 * and after it. Throws a {@link BadRunIdError} for what cannot be an id.
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
    // The folder itself may be a link: the lock of a new run belongs where its file will be.
    return homeIn(path.dirname(realFolder), id, path.join(realFolder, `${id}.json`));
  }
  const realRoot = (await realPath(root)) ?? path.resolve(root);
  return homeIn(realRoot, id, path.join(realRoot, "workflows", `${id}.json`));
}

function homeIn(root: string, id: RunId, stateFile: string): RunHome {
  return { id, root, stateFile, folder: path.join(root, "runs", id) };
}

/** Where a run's artifacts lie. */
export function artifactsOf(home: RunHome): Artifacts {
  return new RunArtifacts(home);
}

/** Their paths are joined when they are asked for: most never are, and a run that waits would hold all of them. */
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

  get openings(): string {
    return this.#in("openings");
  }

  get output(): string {
    return this.#in("output.txt");
  }

  get transcripts(): string {
    return this.#in("transcripts");
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

function refuseBadId(id: string): void {
  const problem = runIdProblem(id);
  if (problem !== null) throw new BadRunIdError(id, problem);
}
