import type { RunState, Wait } from "../model/run-state.ts";

export function withWait(run: RunState, backend: string, wait: Wait | null): RunState {
  const { [backend]: _, ...others } = run.waits;
  return { ...run, waits: wait === null ? others : { ...others, [backend]: wait } };
}

export interface BackendWait {
  readonly backend: string;
  readonly wait: Wait;
}

export function waitsByBackend({ waits }: Pick<RunState, "waits">): readonly BackendWait[] {
  return Object.entries(waits).map(([backend, wait]) => ({ backend, wait }));
}

/** The wait of a run to show: the one that ends first; null: none. */
export function firstWait(run: Pick<RunState, "waits">): BackendWait | null {
  const [first, ...others] = waitsByBackend(run);
  if (first === undefined) return null;
  return others.reduce((best, one) => (one.wait.until < best.wait.until ? one : best), first);
}

/** The field `backend` of an event: absent for the default agent of the run. */
export function ofBackend(
  run: Pick<RunState, "backend">,
  backend: string,
): { readonly backend?: string } {
  return backend === run.backend ? {} : { backend };
}
