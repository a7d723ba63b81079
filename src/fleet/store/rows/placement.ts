import * as z from "zod/mini";
import { LEVELS } from "../../../language/permissions/permission.ts";
import { ACTED_VIA } from "../../../machine/model/actor.ts";
import type { RunId } from "../../../machine/model/run-state.ts";

/** Permanent name of a machine, and its executor id in DBOS. */
export type MachineId = string;
export type PoolName = string;
export type AccountName = string;

/** Where the files of a run are, which decides where it can run. */
const WORKSPACE = z.discriminatedUnion("kind", [
  /** Only on its home; `folder` null: in a folder of its own. */
  z.object({ kind: z.literal("local"), folder: z.nullable(z.string()) }),
  /** At the same path on every machine. */
  z.object({ kind: z.literal("shared"), folder: z.string() }),
  /** In a clone of a repository, with snapshots at its remote. */
  z.object({
    kind: z.literal("git"),
    /** A URL without secrets, or the path of a folder. */
    repository: z.string(),
    commit: z.string(),
    /** The folder of the repository in which the run starts; empty: the top. */
    subfolder: z.string(),
  }),
]);

/** Where the conversations of a run are stored. */
const SESSIONS = z.discriminatedUnion("kind", [
  /** Only on its home. */
  z.object({ kind: z.literal("home") }),
  /** In the database. */
  z.object({ kind: z.literal("pg") }),
  /** In a folder with the same path on every machine. */
  z.object({ kind: z.literal("dir"), folder: z.string() }),
]);

/** The files of a git workspace that belong to the last saved state. */
const SNAPSHOT = z.object({
  commit: z.string(),
  /** Why they could not be pushed and are only on its home; null: they are at the remote. */
  behind: z.nullable(z.string()),
});

const CLAIM_COUNTS = z.object({
  /** Claims in a row without a completed step. */
  stalled: z.number(),
  /** Steps of the run at the last claim; null before the first. */
  steps: z.nullable(z.number()),
  /** Start time of the database server at the last claim. */
  server: z.optional(z.string()),
});

const ACTOR = z.object({
  user: z.nullable(z.string()),
  host: z.nullable(z.string()),
  via: z.enum(ACTED_VIA),
  sudoUser: z.optional(z.string()),
});

/** The column `placement` of `raymond.runs`. */
export const PLACEMENT = z.object({
  pool: z.string(),
  account: z.nullable(z.string()),
  /** The only machine that may claim it; null: any of the pool. */
  pinned: z.nullable(z.string()),
  workspace: WORKSPACE,
  sessions: SESSIONS,
  /** How long its home must be dead before another machine may claim it, ms. */
  failoverAfterMs: z.number(),
  /** Path of the workflow in the packed folder; empty: the whole folder. */
  inside: z.string(),
  /** How a lost conversation is handled (`raymond resume`). */
  lostSession: z.enum(["fail", "fresh"]),
  /** Number of its current queue entry, from 1. Entries with another number are void. */
  entry: z.number(),
  /** Scheduled start, epoch ms; null: as soon as possible. */
  at: z.nullable(z.number()),
  /** It has no prompts, or simulated ones, or names its client: it may run on a worker without a working client. */
  withoutClient: z.optional(z.literal(true)),
  /** The part of its settings that policies of workers decide about; absent in runs of earlier versions. */
  needs: z.optional(
    z.object({
      permissions: z.enum(LEVELS),
      clients: z.optional(z.readonly(z.array(z.string()))),
      /** The coding agents that its states cannot do without; absent: the default one. */
      agents: z.optional(z.readonly(z.array(z.string()))),
      /** Of earlier versions. */
      client: z.optional(z.nullable(z.string())),
    }),
  ),
  /** A worker is to run it. */
  open: z._default(z.boolean(), true),
  /** A requested move (moves.ts); `to` null: to any other machine of its pool. */
  move: z._default(z.nullable(z.object({ to: z.nullable(z.string()) })), null),
  /** Who submitted or resumed it; null: a worker requeued it. */
  by: z.nullish(z.object({ actor: ACTOR, changed: z.array(z.string()) })),
  claims: z._default(CLAIM_COUNTS, { stalled: 0, steps: null }),
  /** Written with each save; null without a git workspace, and before its first step. */
  snapshot: z._default(z.nullable(SNAPSHOT), null),
});

export type PlacementColumn = z.infer<typeof PLACEMENT>;

export type Workspace = z.infer<typeof WORKSPACE>;
export type Sessions = z.infer<typeof SESSIONS>;
export type Snapshot = z.infer<typeof SNAPSHOT>;
export type ClaimCounts = z.infer<typeof CLAIM_COUNTS>;

/** The part of the column that is set when a run is submitted. */
export type Placement = Omit<PlacementColumn, "open" | "move" | "claims" | "snapshot">;

/** The part of a placement that determines the queue. */
export type QueueEntry = Pick<Placement, "pool" | "account" | "pinned" | "entry" | "withoutClient">;

/** The placement of a run, and where it is now. */
export interface PlacedRun extends Pick<PlacementColumn, "snapshot"> {
  readonly id: RunId;
  readonly placement: Placement;
  readonly home: MachineId | null;
}

/** Whether the files of a run are only on its home. */
export function isTied({ placement: { workspace }, home, snapshot }: PlacedRun): boolean {
  if (home === null || workspace.kind === "shared") return false;
  return workspace.kind === "local" || (snapshot !== null && snapshot.behind !== null);
}

/** {@link isTied} as an SQL condition on a row of `raymond.runs`. */
export function tied(row: string): string {
  return `(${row}.home IS NOT NULL AND (${row}.placement->'workspace'->>'kind' = 'local'
    OR ${row}.placement->'snapshot'->>'behind' IS NOT NULL))`;
}

/** SQL condition: a row of `raymond.runs` needs a working client. */
export function needsClient(row: string): string {
  return `NOT ${row}.placement @> '{"withoutClient": true}'`;
}

/** What other workers know about the worker of a machine. */
export interface MachineSighting {
  /** Time since the last heartbeat by the clock of the database; null if unknown. */
  readonly silentMs: number | null;
  readonly lives: boolean;
}

export type Verdict =
  /** Its machine is alive. */
  | { readonly kind: "leave" }
  /** Only its machine can run it, and that is dead. */
  | { readonly kind: "wait-for-home" }
  /** Its machine is dead, and has this time to come back. */
  | { readonly kind: "wait"; readonly ms: number }
  /** Another machine may claim it. */
  | { readonly kind: "hand-over" };

/** Decides about a run whose home may be dead. A home that comes back in time resumes its runs without a loss. */
export function placementVerdict(run: PlacedRun, home: MachineSighting): Verdict {
  const { pinned, failoverAfterMs } = run.placement;
  if (home.lives) return { kind: "leave" };
  if (pinned !== null || isTied(run)) return { kind: "wait-for-home" };
  const left = failoverAfterMs - (home.silentMs ?? Number.POSITIVE_INFINITY);
  return left > 0 ? { kind: "wait", ms: left } : { kind: "hand-over" };
}

/** Claims in a row without a completed step before a run is set aside. */
export const MAX_STALLED_CLAIMS = 3;

/**
 * Counts one more claim of a run with that many steps; `poison`: set it aside. A claim after a restart of the
 * database server does not count, because all workers may have lost their leases.
 */
export function countClaim(
  before: ClaimCounts,
  steps: number,
  server: string,
): ClaimCounts & { readonly poison: boolean } {
  const hasProgressed = before.steps === null || steps > before.steps;
  const hasRestarted = before.server !== undefined && before.server !== server;
  const stalled = hasProgressed ? 0 : before.stalled + (hasRestarted ? 0 : 1);
  return { stalled, steps, server, poison: stalled > MAX_STALLED_CLAIMS };
}
