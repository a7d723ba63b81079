import { errorCode } from "../core/error-code.ts";
import { RaymondError } from "../core/errors.ts";
import type { RunId } from "../core/machine/run-state.ts";
import { nearest } from "../core/nearest.ts";
import { runTail } from "../core/run-id.ts";
import type { LockHolder } from "../ports/store.ts";

/** An id from a user, or the name of a file, that no run can have. */
export class BadRunIdError extends RaymondError {
  override readonly name = "BadRunIdError";
  readonly code = "store/bad-run-id";

  constructor(id: string, problem: string) {
    super(`"${id}" cannot be the id of a run: it ${problem}.`, {
      hint: "Ids look like wf-2026-11-21-k3x9qd. `raymond list` shows those that there are.",
    });
  }
}

/** No run is what the user named. */
export class UnknownRunError extends RaymondError {
  override readonly name = "UnknownRunError";
  readonly code = "store/unknown-run";
  readonly wanted: string;

  /** `known`: the runs that there are, where somebody has looked. */
  constructor(wanted: string, known: readonly RunId[] | null = null) {
    const none = known?.length === 0;
    const near = nearestRun(wanted, known ?? []);
    super(
      wanted === "latest"
        ? "There is no run yet."
        : `There is no run "${wanted}"${none ? ", nor any other here" : ""}.`,
      {
        hint: none
          ? "Start one by raymond WORKFLOW, or see one by raymond tour."
          : `${near === null ? "" : `Did you mean ${near}? `}\`raymond list --all\` shows the runs that there are.`,
      },
    );
    this.wanted = wanted;
  }
}

/** More than one run is what the user named. */
export class AmbiguousRunError extends RaymondError {
  override readonly name = "AmbiguousRunError";
  readonly code = "store/ambiguous-run";
  readonly candidates: readonly RunId[];

  constructor(wanted: string, candidates: readonly RunId[]) {
    const shown = candidates.toSorted().slice(0, 10);
    const more = candidates.length - shown.length;
    super(
      `"${wanted}" could be ${shown.join(", ")}${more === 0 ? "" : ` or ${String(more)} more`}.`,
      {
        hint: "Give more of the id, or its last six characters.",
      },
    );
    this.candidates = candidates;
  }
}

/** A JSON file that does not lie where a run's state file does. */
export class MisplacedStateError extends RaymondError {
  override readonly name = "MisplacedStateError";
  readonly code = "store/misplaced-state";

  constructor(file: string) {
    super(`${file} is not the state file of a run: it does not lie in a folder \`workflows\`.`, {
      hint: "A run's state file is .raymond/workflows/<id>.json, and what the run owns lies in .raymond/runs/<id>. Move both.",
    });
  }
}

/** A state file, or a long text that belongs to it, that is not what raymond writes. */
export class DamagedStateError extends RaymondError {
  override readonly name = "DamagedStateError";
  readonly code = "store/damaged-state";
  readonly file: string;
  /** Where in the file, such as `agents[0].session.mode`; null: the file as a whole. */
  readonly field: string | null;

  constructor(file: string, field: string | null, reason: string, cause?: unknown) {
    super(`The state file ${file} cannot be used: ${field === null ? "it" : field} ${reason}.`, {
      hint: "raymond replaces this file only as a whole, so something else has changed it, and it was left as it is. Undo that change, or put back a copy from a backup. `raymond status` shows what can be recovered from the event log.",
      cause,
    });
    this.file = file;
    this.field = field;
  }
}

/** A state file of a version that this raymond does not know. */
export class NewerStateError extends RaymondError {
  override readonly name = "NewerStateError";
  readonly code = "store/newer-state";

  constructor(file: string, version: number, known: number) {
    super(
      `The state file ${file} was written by a newer raymond: it has version ${String(version)}, and this one reads up to ${String(known)}.`,
      { hint: "Update raymond, and resume the run with that one. The file was left as it is." },
    );
  }
}

/** Another orchestrator holds the run (docs/state-file.md, "The lock"). */
export class RunLockedError extends RaymondError {
  override readonly name = "RunLockedError";
  readonly code = "store/run-locked";
  readonly holder: LockHolder;

  constructor(id: RunId, holder: LockHolder) {
    const { host, pid, startedAt } = holder;
    super(
      `The run ${id} is held by process ${String(pid)} on ${host}, which started at ${startedAt}.`,
      {
        hint: isCertain(holder)
          ? `Wait for it to end, or stop it: raymond stop ${id}`
          : `Whether that process still lives cannot be seen from here. ${takeOverHint(id, holder)}`,
      },
    );
    this.holder = holder;
  }
}

/** A save of a run that another process has saved since (docs/state-file.md, "The lock"). */
export class RunTakenError extends RaymondError {
  override readonly name = "RunTakenError";
  readonly code = "store/run-taken";

  /** `revision` was found where `expected` should have been; `holder`: the other process, where it is known. */
  constructor(
    id: RunId,
    facts: {
      readonly revision: number;
      readonly expected: number;
      readonly at: string | null;
      readonly holder: LockHolder | null;
    },
  ) {
    const { revision, expected, at, holder } = facts;
    const who =
      holder === null ? "another process" : `process ${String(holder.pid)} on ${holder.host}`;
    const when = at === null ? "" : ` at ${at}`;
    super(
      `The run ${id} was saved by ${who}${when}: its save ${String(revision)} is on disk, and this raymond went on from save ${String(expected)}.`,
      {
        hint: `Two raymonds have had this run at once, so its lock was removed perhaps. This one has changed nothing, starts nothing more, and leaves the run to the other: raymond status ${id}`,
      },
    );
  }
}

/** Whether a holder surely lives: it can be seen, and is known by more than a pid that another may have by now. */
export function isCertain({ visible, identity, pid }: LockHolder): boolean {
  return visible && identity !== String(pid);
}

/** What to do about a holder that cannot be seen from here. */
export function takeOverHint(id: RunId, { heardAt }: LockHolder): string {
  return `It was last heard at ${heardAt}. If it is surely gone, and silent for ten seconds, take the run over: raymond --resume ${id} --take-over (stop and prune know the flag as well).`;
}

/** A lock file that raymond did not write: nobody can say whether the run is held. */
export class DamagedLockError extends RaymondError {
  override readonly name = "DamagedLockError";
  readonly code = "store/damaged-lock";

  constructor(id: RunId, file: string) {
    super(`The run ${id} may be held by another process, but its lock ${file} cannot be read.`, {
      hint: `If surely no raymond runs it, remove that file and try again.`,
    });
  }
}

/** The disk refused something; `path` says where and `cause` is its error. */
class DiskError extends RaymondError {
  override readonly name = "DiskError";
  readonly code = "store/disk";
  readonly path: string;
  /** `ENOSPC` and the like; null when unknown. */
  readonly reason: string | null;

  constructor(doing: string, path: string, cause: unknown) {
    const reason = errorCode(cause);
    const [why, hint] = explain(reason, path);
    super(`Could not ${doing} ${path}: ${why}${reason === null ? "" : ` (${reason})`}.`, {
      hint,
      cause,
    });
    this.path = path;
    this.reason = reason;
  }
}

/** What `work` gives; where the disk refuses it, a {@link DiskError} with these words. */
export async function orDiskError<T>(
  doing: string,
  where: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) === null || error instanceof RaymondError) throw error;
    throw new DiskError(doing, where, error);
  }
}

/**
 * The run that was probably meant. Ids that raymond has made differ in nothing but
 * the day and the tail, so only the tail tells two of them apart: by all of it, two
 * that have nothing to do with each other would be near.
 */
function nearestRun(wanted: string, ids: readonly RunId[]): RunId | null {
  const names = new Map(ids.map((id) => [runTail(id) ?? id, id]));
  const near = nearest(runTail(wanted) ?? wanted, [...names.keys()], MOST_SLIPS);
  return near === null ? null : (names.get(near) ?? null);
}

/** Ids are copied, not spelt: more than this is another one. */
const MOST_SLIPS = 2;

function explain(reason: string | null, path: string): readonly [why: string, hint: string] {
  switch (reason) {
    case "ENOSPC":
      return ["the disk is full", "Make room on that disk. What was saved last is intact."];
    case "EDQUOT":
      return [
        "your quota on that disk is used up",
        "Make room there. What was saved last is intact.",
      ];
    case "EACCES":
    case "EPERM":
      return [
        "it is not permitted",
        `See to it that you may read and write ${path} and its folder, or choose another place with --state-dir.`,
      ];
    case "EROFS":
      return ["the disk is read-only", "Choose a place on another disk with --state-dir."];
    case "EIO":
      return [
        "the disk reports an error",
        "Check that disk; another place can be chosen with --state-dir.",
      ];
    case "EMFILE":
    case "ENFILE":
      return [
        "too many files are open",
        "Raise the limit (ulimit -n) or run fewer agents at once with --max-parallel.",
      ];
    case "ENOENT":
      return ["it, or its folder, is not there", "Something has removed it while raymond used it."];
    case "ENOTDIR":
    case "EEXIST":
      return [
        "a file stands where a folder should be",
        "Move that file away, or choose another place with --state-dir.",
      ];
    case "EFTYPE":
      return ["it is not a regular file", "Remove it: raymond writes only regular files there."];
    case "EFBIG":
      return ["it is too large", "raymond writes no files of that size. Remove it, or restore it."];
    case "ENAMETOOLONG":
      return [
        "its path is too long for this system",
        "Choose a place with a shorter path with --state-dir.",
      ];
    case "ENOTSUP":
    case "EOPNOTSUPP":
    case "ENOSYS":
    case "EMLINK":
      return ["this file system cannot do it", "Choose a place on another disk with --state-dir."];
    case null:
      return ["it failed", "Check that place, or choose another with --state-dir."];
    default:
      return ["the system refused", "Check that place, or choose another with --state-dir."];
  }
}
