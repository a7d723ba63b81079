import { RaymondError } from "../core/errors.ts";
import { formatUsd, type MicroUsd } from "../core/money.ts";
import { describeProblem, type RuleId, type StateProblem } from "../core/workflow/state-file.ts";
import type { LockHolder } from "../ports/store.ts";
import { takeOverHint } from "../stores/errors.ts";

/** `--workflow-id` names a run that exists. */
export class RunExistsError extends RaymondError {
  override readonly name = "RunExistsError";
  readonly code = "cli/run-exists";

  constructor(id: string, existing: string) {
    const other =
      id === existing
        ? ""
        : ` (as ${existing}: names that differ only in case are one on some systems)`;
    super(`A run with the id ${id} exists already${other}.`, {
      hint: `Go on with it by raymond --resume ${existing}, or choose another id.`,
    });
  }
}

/** Resuming a run that is complete. */
export class RunCompletedError extends RaymondError {
  override readonly name = "RunCompletedError";
  readonly code = "run/completed";

  constructor(id: string, result: string | null) {
    const shown = result === null || result === "" ? "It has no result." : `Its result: ${result}`;
    super(`The run ${id} is complete: there is nothing to resume. ${shown}`, {
      hint: "Start the workflow anew with raymond WORKFLOW.",
    });
  }
}

/** A resume is given a budget that the run has spent already. */
export class BudgetSpentError extends RaymondError {
  override readonly name = "BudgetSpentError";
  readonly code = "run/budget-spent";

  /** `enough`: a budget to go on with, in dollars; null where the one that the run has is enough. */
  constructor(id: string, spentMicroUsd: MicroUsd, givenMicroUsd: MicroUsd, enough: string | null) {
    super(
      `The run ${id} has spent ${formatUsd(spentMicroUsd)} already: a budget of ${formatUsd(givenMicroUsd)} in all leaves it nothing.`,
      {
        hint:
          enough === null
            ? "Give more than that, or leave the flag away: the budget that the run has is enough to go on."
            : `Give more than that: --budget ${enough}`,
      },
    );
  }
}

/** A run was started on a backend that this raymond lacks. */
export class UnknownBackendError extends RaymondError {
  override readonly name = "UnknownBackendError";
  readonly code = "run/unknown-backend";

  constructor(id: string, backend: string, known: readonly string[]) {
    super(`The run ${id} was started on the backend "${backend}", which this raymond lacks.`, {
      hint: `This one has ${known.join(" and ")}. Resume the run with the raymond that started it, or with a newer one.`,
    });
  }
}

/** The folder that a run was started in is gone. */
export class LaunchDirGoneError extends RaymondError {
  override readonly name = "LaunchDirGoneError";
  readonly code = "run/launch-dir-gone";

  constructor(id: string, folder: string) {
    super(`The folder that the run ${id} was started in is gone: ${folder}`, {
      hint: "Create it again, or restore it, then give the same command.",
    });
  }
}

/** The state file is there, and the workflow that it runs is not. */
export class ScopeGoneError extends RaymondError {
  override readonly name = "ScopeGoneError";
  readonly code = "run/scope-gone";

  constructor(id: string, folder: string) {
    super(`The workflow of the run ${id} is gone: ${folder}`, {
      hint: "Put the folder back where it was, then give the same command.",
    });
  }
}

/** What is written is to lie in a folder that there is not. */
export class NoFolderError extends RaymondError {
  override readonly name = "NoFolderError";
  readonly code = "cli/no-folder";

  constructor(folder: string) {
    super(`There is no folder ${folder} to write to.`, { hint: "Make it, or name another place." });
  }
}

/** `--init-config` where a configuration exists. */
export class ConfigExistsError extends RaymondError {
  override readonly name = "ConfigExistsError";
  readonly code = "config/exists";

  constructor(file: string) {
    super(`There is a configuration already: ${file}`, {
      hint: "Edit it, or move it away and call --init-config again.",
    });
  }
}

/** The client refuses to skip permissions as root, unless it is told that it is in a sandbox. */
export class RootWithoutSandboxError extends RaymondError {
  override readonly name = "RootWithoutSandboxError";
  readonly code = "claude/root-without-sandbox";

  constructor() {
    super("claude refuses --dangerously-skip-permissions as root.", {
      hint: "Run raymond as another user; or, inside a container that may be thrown away, set IS_SANDBOX=1.",
    });
  }
}

/** A state that a run would come to declares what cannot be. */
export class BadStateError extends RaymondError {
  override readonly name = "BadStateError";
  readonly code: `lint/${RuleId}`;

  constructor(path: string, problem: StateProblem) {
    super(describeProblem(path, problem), { hint: problem.hint });
    this.code = `lint/${problem.rule}`;
  }
}

type OutOfReach = "elsewhere" | "not-permitted" | "only-pid";

type Words = readonly [why: string, hint: string];

const OUT_OF_REACH: Readonly<Record<OutOfReach, (id: string, holder: LockHolder) => Words>> = {
  elsewhere: (id, holder) => [
    "and cannot be reached from here",
    `Give the same command there: on that host, or in that container. ${takeOverHint(id, holder)}`,
  ],
  "not-permitted": () => [
    "and you may not signal it",
    "It belongs to another user: give the same command as that user.",
  ],
  "only-pid": (id, holder) => [
    "and is known by its number alone, which another process may have by now",
    `Look what that process is. If it is raymond, end it there. ${takeOverHint(id, holder)}`,
  ],
};

/** The process that holds a run cannot be signalled by who asks. */
export class HolderOutOfReachError extends RaymondError {
  override readonly name = "HolderOutOfReachError";
  readonly code = "run/out-of-reach";

  constructor(id: string, holder: LockHolder, reason: OutOfReach) {
    const { pid, host, startedAt } = holder;
    const [why, hint] = OUT_OF_REACH[reason](id, holder);
    super(
      `The run ${id} is held by process ${String(pid)} on ${host}, which started at ${startedAt}, ${why}.`,
      { hint },
    );
  }
}

/** `raymond tour` needs a place for what its states write. */
export class NoTemporaryFolderError extends RaymondError {
  override readonly name = "NoTemporaryFolderError";
  readonly code = "cli/no-temporary-folder";

  constructor(place: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : "for an unknown reason";
    super(`No temporary folder can be made in ${place}: ${reason}.`, {
      hint: "Name a folder that you may write to: TMPDIR=FOLDER raymond tour (TEMP on Windows).",
      cause,
    });
  }
}

/** A budget is to be raised, and the run has none. */
export class NoBudgetError extends RaymondError {
  override readonly name = "NoBudgetError";
  readonly code = "cli/flag-conflict";

  constructor(id: string) {
    super(`The run ${id} has no budget to add to.`, {
      hint: "Leave the flag away, or give it a budget: --budget USD.",
    });
  }
}

/**
 * A run that was saved could not be driven to its end: the disk is full, say. It can be resumed. It is no
 * RaymondError itself, for `cause` says what went wrong.
 */
export class BrokenOffError extends Error {
  override readonly name = "BrokenOffError";
  readonly run: string;

  constructor(run: string, cause: unknown) {
    super(`The run ${run} was broken off.`, { cause });
    this.run = run;
  }
}

/** `convert` of a file says nowhere what folder to write. */
export class ConversionNeedsFolderError extends RaymondError {
  override readonly name = "ConversionNeedsFolderError";
  readonly code = "run/conversion-needs-folder";

  constructor(workflow: string) {
    super(`${workflow} becomes a folder of files, and no folder is named.`, {
      hint: `Name a new one: raymond convert ${workflow} -o DIR`,
    });
  }
}

/** What lint could mend lies in a zip. */
export class ZipMendError extends RaymondError {
  override readonly name = "ZipMendError";
  readonly code = "lint/zip";

  constructor(path: string) {
    super(`${path} is a zip, and nothing in it can be mended.`, {
      hint: "Unpack it, mend the folder, and pack that: raymond lint FOLDER --fix",
    });
  }
}

/** The process that is to drive a run in the background could not be started. */
export class BackgroundStartError extends RaymondError {
  override readonly name = "BackgroundStartError";
  readonly code = "run/not-started";

  constructor(cause: Error) {
    super(`Cannot start a process for the run: ${cause.message}.`, {
      hint: "The system may be short of processes, memory or file descriptors (ulimit -u, ulimit -n). Try again later, or run it without --detach.",
      cause,
    });
  }
}
