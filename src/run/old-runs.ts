import type { RunSummary } from "../engine/ports/store.ts";

/** Which runs `raymond prune` takes where none is named. */
export interface OldRule {
  /** Also those that have failed or stopped, and could still be resumed. */
  readonly all: boolean;
  /** Only runs without changes for this long, ms; null: any age. */
  readonly olderThanMs: number | null;
  /** Number of most recently changed runs to keep. */
  readonly keep: number;
}

/** The runs to delete, oldest change first. Live and unreadable runs are never deleted. */
export function oldRuns<Run extends Pick<RunSummary, "status" | "updatedAt">>(
  runs: readonly Run[],
  { all, olderThanMs, keep }: OldRule,
  now: number,
): readonly Run[] {
  const newestFirst = runs
    .filter(({ status }) => mayGo(status, all))
    .toSorted((a, b) => changedAt(b) - changedAt(a));
  return newestFirst
    .slice(keep)
    .filter((run) => olderThanMs === null || changedAt(run) < now - olderThanMs)
    .toReversed();
}

function changedAt({ updatedAt }: Pick<RunSummary, "updatedAt">): number {
  return Date.parse(updatedAt);
}

function mayGo(status: RunSummary["status"], all: boolean): boolean {
  switch (status) {
    case "completed":
      return true;
    case "running":
    case "waiting":
    case "held":
    case "queued":
    case "unreadable":
      return false;
    case "failed":
    case "paused":
    case "interrupted":
    case "budget_exceeded":
    case "crashed":
      return all;
  }
}
