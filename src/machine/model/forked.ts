import type { StepError } from "./activity.ts";

export interface ForkedWorker {
  /** Its id. */
  readonly agent: string;
  /** The full name of its first state. */
  readonly state: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Null: running. */
  readonly end: WorkerEnd | null;
  /** The branch with its work (null: it changed nothing); absent: it had no worktree, or is running. */
  readonly branch?: string | null | undefined;
}

export type WorkerEnd =
  | { readonly ok: true; readonly result: string }
  | { readonly ok: false; readonly error: Pick<StepError, "class" | "message" | "state"> };

/** The payload of a join as JSON (docs/protocol.md, "Joins"). */
export function joinPayload(forked: readonly ForkedWorker[]): string {
  return JSON.stringify(
    forked.map(({ agent, state, attributes, end, branch }) => ({
      agent,
      state,
      attributes,
      ...(end ?? { ok: null }),
      ...(branch !== undefined && { branch }),
    })),
  );
}

/** Whether `min` workers succeeded, all ended, or `min` can no longer be reached. */
export function isJoinReady(forked: readonly ForkedWorker[], min: number | null): boolean {
  const living = forked.filter(({ end }) => end === null).length;
  const well = forked.filter(({ end }) => end?.ok === true).length;
  return living === 0 || (min !== null && (well >= min || well + living < min));
}
