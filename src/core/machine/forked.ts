import type { StepError } from "./activity.ts";

/** A worker as its parent knows it. */
export interface Forked {
  /** Its id. */
  readonly agent: string;
  /** The full name of where it began. */
  readonly state: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Null: it lives. */
  readonly end: WorkerEnd | null;
}

export type WorkerEnd =
  | { readonly ok: true; readonly result: string }
  | { readonly ok: false; readonly error: Pick<StepError, "class" | "message" | "state"> };

/**
 * What a join hands over, as JSON (docs/protocol.md, "Joins"): all that it takes,
 * and those that live on.
 */
export function joinPayload(forked: readonly Forked[]): string {
  return JSON.stringify(
    forked.map(({ agent, state, attributes, end }) => ({
      agent,
      state,
      attributes,
      ...(end ?? { ok: null }),
    })),
  );
}

/** Whether as many have ended as are waited for: `min` of them well, else all; or as no more can. */
export function isEnough(forked: readonly Forked[], min: number | null): boolean {
  const living = forked.filter(({ end }) => end === null).length;
  const well = forked.filter(({ end }) => end?.ok === true).length;
  return living === 0 || (min !== null && (well >= min || well + living < min));
}
