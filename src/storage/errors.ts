import type { LockHolder } from "../engine/ports/store.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { defineErrors, RaymondError } from "../language/basics/errors.ts";
import { nearest } from "../language/basics/nearest.ts";
import { runTail } from "../machine/model/run-id.ts";
import type { RunId } from "../machine/model/run-state.ts";

export const storageErrors = defineErrors({
  /** `problem` completes "it …". */
  "store/bad-run-id": (id: string, problem: string) => ({
    message: `"${id}" is not a valid run id: it ${problem}.`,
    hint: "Run ids look like wf-2026-11-21-k3x9qd. List the runs with: raymond list",
  }),

  /** `ids`: the existing runs; null if unknown. */
  "store/unknown-run": (run: string, ids: readonly RunId[] | null = null) => {
    const none = ids?.length === 0;
    const near = nearestRun(run, ids ?? []);
    const found = run === "latest" ? "No run found." : `Run "${run}" not found.`;
    return {
      message: none ? `${found} This project has no runs yet.` : found,
      hint: none
        ? "Start one with: raymond WORKFLOW. See an example with: raymond tour"
        : `${near === null ? "" : `Did you mean ${near}? `}List all runs with: raymond list --all`,
    };
  },

  "store/ambiguous-run": (run: string, candidates: readonly RunId[]) => {
    const shown = candidates.toSorted().slice(0, 10).join(", ");
    const more = candidates.length - 10;
    return {
      message: `"${run}" matches several runs: ${shown}${more > 0 ? ` and ${String(more)} more` : ""}.`,
      hint: "Type more of the id, or its last six characters.",
    };
  },

  "store/misplaced-state": (file: string) => ({
    message: `${file} is not the state file of a run: its folder is not named "workflows".`,
    hint: "The state file of a run is .raymond/workflows/<id>.json, and its other files are in .raymond/runs/<id>. Move both.",
  }),

  /** Also the code of versions that are older than the supported ones: builds before 0.1.0 wrote 2 to 4. */
  "store/newer-state": (file: string, version: number, supported: number) => ({
    message: `Cannot read ${file}: it has version ${String(version)}, and this raymond supports version ${String(supported)}.`,
    hint: "A newer raymond wrote the file, or a build before 0.1.0. Resume the run with that raymond, or start a new run. The file was not changed.",
  }),

  /** Another process saved the run: `revision` was found instead of `expected`. `holder`: that process, if known. */
  "store/run-taken": (
    id: RunId,
    facts: {
      readonly revision: number;
      readonly expected: number;
      readonly at: string | null;
      readonly holder: LockHolder | null;
    },
  ) => {
    const { revision, expected, at, holder } = facts;
    const owner =
      holder === null ? "another process" : `process ${String(holder.pid)} on ${holder.host}`;
    const when = at === null ? "" : ` at ${at}`;
    return {
      message: `Run ${id} was saved by ${owner}${when}: save ${String(revision)} is on disk, expected save ${String(expected)}.`,
      hint: `Two processes ran this run at the same time. Was its lock file deleted? This process changed nothing and stopped. Check the run with: raymond status ${id}`,
    };
  },

  "store/damaged-lock": (id: RunId, file: string) => ({
    message: `Cannot read the lock ${file} of run ${id}. Another process may be running it.`,
    hint: "If no raymond process runs it, delete that file and try again.",
  }),

  "store/linked-place": (place: string, target: string) => ({
    message: `${place} is a symbolic link to ${target}. raymond writes and deletes no files of runs through links, so it does not use this folder.`,
    hint: "Nothing was changed. Remove the link. To store runs on another disk, use --state-dir.",
  }),

  /** `reason` completes "it …". */
  "store/unusable-root": (folder: string, reason: string) => ({
    message: `Cannot use ${folder}: it ${reason}.`,
    hint: "Choose another folder with --state-dir.",
  }),

  "store/dead-link": (place: string, target: string) => ({
    message: `Cannot use ${place}: it is a symbolic link to ${target}, which does not exist.`,
    hint: "If the target is on a disk that is not mounted, mount it. Otherwise remove the link, or choose another folder with --state-dir.",
  }),

  /** `code`: of the system error. */
  "store/disk": (action: string, path: string, code: string, cause: unknown) => {
    const [why, hint] = REASONS[code] ?? REFUSED;
    return { message: `Cannot ${action} ${path}: ${why} (${code}).`, hint, cause };
  },
});

/** A state file, or a text that it references, that raymond did not write in this form. */
export class DamagedStateError extends RaymondError {
  override readonly name = "DamagedStateError";
  readonly code = "store/damaged-state";
  readonly file: string;
  /** Path in the file, e.g. `agents[0].session.mode`; null: the whole file. */
  readonly field: string | null;

  constructor(file: string, field: string | null, reason: string, cause?: unknown) {
    super(`Cannot use the state file ${file}: ${field ?? "it"} ${reason}.`, {
      hint: "raymond replaces this file atomically, so another program changed it. The file was left unchanged. Undo that change, or restore a backup. See what the event log recorded with: raymond status",
      cause,
    });
    this.file = file;
    this.field = field;
  }
}

/** Another process holds the lock of the run (docs/state-file.md, "Locking"). */
export class RunLockedError extends RaymondError {
  override readonly name = "RunLockedError";
  readonly code = "store/run-locked";
  readonly holder: LockHolder;

  constructor(id: RunId, holder: LockHolder) {
    const { host, pid, startedAt } = holder;
    super(`Run ${id} is locked by process ${String(pid)} on ${host}, started at ${startedAt}.`, {
      hint: isCertain(holder)
        ? `Wait for it to end, or stop it with: raymond stop ${id}`
        : `This machine cannot check whether that process is alive. ${takeOverHint(id, holder)}`,
    });
    this.holder = holder;
  }
}

/** Whether the holder is certainly alive: visible from here, and identified by more than a pid, which can be reused. */
export function isCertain({ visible, identity, pid }: LockHolder): boolean {
  return visible && identity !== String(pid);
}

/** What to do about a holder that is not visible from here. */
export function takeOverHint(id: RunId, { lastSeenAt }: LockHolder): string {
  return `Its last sign of life was at ${lastSeenAt}. If it has ended, and has been silent for ten seconds, take the run over with: raymond resume ${id} --take-over (stop and prune have the flag as well).`;
}

/** The result of `work`. Errors of the file system become `store/disk`: "Cannot ACTION PATH: …". */
export async function orDiskError<T>(
  action: string,
  where: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === null || error instanceof RaymondError) throw error;
    throw storageErrors["store/disk"](action, where, code, error);
  }
}

/**
 * The run that was probably meant. Generated ids differ only in the day and the tail, so only the tails are
 * compared: whole ids of unrelated runs are always similar.
 */
function nearestRun(run: string, ids: readonly RunId[]): RunId | null {
  const names = new Map(ids.map((id) => [runTail(id) ?? id, id]));
  const near = nearest(runTail(run) ?? run, [...names.keys()], MAX_TYPOS);
  return near === null ? null : (names.get(near) ?? null);
}

/** Ids are usually copied, so more differences mean another run. */
const MAX_TYPOS = 2;

const NOT_SUPPORTED = [
  "the file system does not support the operation",
  "Choose a folder on another disk with --state-dir.",
] as const;
const DENIED = [
  "permission denied",
  "Allow your user to read and write it and its folder, or choose another folder with --state-dir.",
] as const;
const TOO_MANY_FILES = [
  "too many files are open",
  "Raise the limit (ulimit -n), or run fewer agents in parallel with --max-parallel.",
] as const;
const NO_FOLDER = [
  "a file is in the place of a folder",
  "Move that file away, or choose another folder with --state-dir.",
] as const;
const REFUSED = [
  "the system refused the operation",
  "Check that folder, or choose another one with --state-dir.",
] as const;

/** Reason and hint by the code of a system error. */
const REASONS: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  ENOSPC: ["the disk is full", "Free some space on that disk. The last saved state is intact."],
  EDQUOT: ["your disk quota is exceeded", "Free some space there. The last saved state is intact."],
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: ["the disk is read-only", "Choose a folder on another disk with --state-dir."],
  EIO: [
    "the disk reports an error",
    "Check that disk, or choose a folder on another one with --state-dir.",
  ],
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  ENOENT: [
    "it, or its folder, does not exist",
    "Another program deleted it while raymond used it.",
  ],
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  EFTYPE: ["it is not a regular file", "Delete it. raymond writes only regular files there."],
  EFBIG: [
    "it is too large",
    "raymond writes no files of that size. Delete it, or restore a backup.",
  ],
  ENAMETOOLONG: [
    "its path is too long for this system",
    "Choose a folder with a shorter path with --state-dir.",
  ],
  ENOTSUP: NOT_SUPPORTED,
  EOPNOTSUPP: NOT_SUPPORTED,
  ENOSYS: NOT_SUPPORTED,
  EMLINK: NOT_SUPPORTED,
};
