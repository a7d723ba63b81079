import type { RunId } from "../../../machine/run-state.ts";

/** Names a machine for ever: what DBOS calls an executor. */
export type MachineId = string;
export type PoolName = string;
export type AccountName = string;

/** Where a run's files are, and so where it can go on. */
export type Workspace =
  /** On its home alone; null: in a folder of its own there. */
  | { readonly kind: "local"; readonly folder: string | null }
  /** At the same path everywhere. */
  | { readonly kind: "shared"; readonly folder: string }
  /** In a clone of a repository, begun at a commit, and kept there as snapshots. */
  | {
      readonly kind: "git";
      /** What is cloned: a URL without secrets, or the path of a folder. */
      readonly repository: string;
      readonly commit: string;
      /** The folder of it that the run begins in; empty: its top. */
      readonly subfolder: string;
    };

/** The files of a git workspace that belong to the state that was saved last. */
export interface Snapshot {
  readonly commit: string;
  /** Why they are only at its home, for people; null: they are at the remote. */
  readonly behind: string | null;
}

/** Where a run's conversations are kept, so that another machine can go on with them. */
export type Sessions =
  /** On its home alone. */
  | { readonly kind: "home" }
  /** In the database. */
  | { readonly kind: "pg" }
  /** In a folder that all machines have at this path. */
  | { readonly kind: "dir"; readonly folder: string };

/** Where a run may be, as it was submitted. */
export interface Placement {
  readonly pool: PoolName;
  readonly account: AccountName | null;
  /** The machine that alone may take it; null: any of the pool. */
  readonly pinned: MachineId | null;
  readonly workspace: Workspace;
  readonly sessions: Sessions;
  /** How long a home may be gone before another machine takes its runs, ms. */
  readonly failoverAfterMs: number;
  /** The path of what the user named, in the folder that the workflow was packed from; empty: all of it. */
  readonly inside: string;
  /** What becomes of a conversation that is gone, as `resume` has it. */
  readonly lostSession: "fail" | "fresh";
  /** So often it was enqueued: the first time is 1. What was enqueued with another number is void. */
  readonly entry: number;
  /** When it is to begin, epoch ms; null: as soon as somebody is free. */
  readonly at: number | null;
  /** It has no prompts, or simulated ones, or names its client: a worker whose own client does not work may run it. */
  readonly withoutClient?: true | undefined;
}

/** A run whose machine may be gone. */
export interface PlacedRun {
  readonly id: RunId;
  readonly placement: Placement;
  readonly home: MachineId | null;
  /** Null without a git workspace, and before its first step. */
  readonly snapshot: Snapshot | null;
}

/** Whether the files of a run are at its home, and nowhere else. */
export function isTied({ placement: { workspace }, home, snapshot }: PlacedRun): boolean {
  switch (workspace.kind) {
    case "local":
      return home !== null;
    case "shared":
      return false;
    case "git":
      return home !== null && snapshot !== null && snapshot.behind !== null;
  }
}

/** The same of a row of `raymond.runs`, as a condition. */
export function tied(row: string): string {
  return `(${row}.home IS NOT NULL AND (${row}.placement->'workspace'->>'kind' = 'local'
    OR ${row}.placement->'snapshot'->>'behind' IS NOT NULL))`;
}

/** Whether a row of `raymond.runs` needs a working client, as a condition. */
export function needsClient(row: string): string {
  return `NOT ${row}.placement @> '{"withoutClient": true}'`;
}

/** Whether a row of `raymond.machines` has a client for a run of an account that needs one, as a condition. */
export function hasClient(machine: string, account: string): string {
  return `NOT coalesce(${machine}.facts->'clients' ? coalesce(${account}, ''), false)`;
}

/** What is known of the worker of a machine. */
export interface MachineSighting {
  /** Since it was heard last, by the clock of the database. */
  readonly silentMs: number;
  /** It is at work, or nobody may say yet that it is not. */
  readonly lives: boolean;
}

/** What is to be done with a run that was on a machine. */
export type Verdict =
  /** Nothing yet, or its machine is well. */
  | { readonly kind: "leave" }
  /** Its machine is gone, and it waits for that machine alone. */
  | { readonly kind: "wait-for-home" }
  /** Its machine is gone; another takes it when this is over. */
  | { readonly kind: "wait"; readonly ms: number }
  /** Another may take it now. */
  | { readonly kind: "hand-over" };

/**
 * What becomes of a run whose home may be gone; `sight` is null of one that nobody knows any more. A home
 * that comes back in time goes on with it: that is the first line, and nothing is lost by it.
 */
export function placementVerdict(run: PlacedRun, sight: MachineSighting | null): Verdict {
  const { pinned, failoverAfterMs } = run.placement;
  const canTravel = pinned === null && !isTied(run);
  if (sight?.lives === true) return { kind: "leave" };
  if (!canTravel) return { kind: "wait-for-home" };
  const left = failoverAfterMs - (sight?.silentMs ?? Number.POSITIVE_INFINITY);
  return left > 0 ? { kind: "wait", ms: left } : { kind: "hand-over" };
}

/** So often a run is taken without a step in between before it is set aside. */
export const MAX_STALLED_CLAIMS = 3;

/** What a worker counts when it takes a run: how often in a row that was in vain. */
export interface ClaimCounts {
  /** Takes since the last that had a step after it. */
  readonly stalled: number;
  /** Steps of the run at the last take; null before the first. */
  readonly steps: number | null;
  /** Which start of the database's server there was at the last take. */
  readonly server?: string | undefined;
}

/**
 * The count after one more take, of a run with so many steps; `poison`: it is set aside. One behind which the
 * server began anew counts for nothing: then all workers can have lost their leases.
 */
export function countClaim(
  before: ClaimCounts,
  steps: number,
  server: string,
): ClaimCounts & { readonly poison: boolean } {
  const moved = before.steps === null || steps > before.steps;
  const away = before.server !== undefined && before.server !== server;
  const stalled = moved ? 0 : before.stalled + (away ? 0 : 1);
  return { stalled, steps, server, poison: stalled > MAX_STALLED_CLAIMS };
}
