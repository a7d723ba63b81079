import type { RunState, Wait } from "../model/run-state.ts";

/** The usage limit or outage of a coding agent; null: none. */
export function waitOf(run: Pick<RunState, "wait" | "waits" | "backend">, backend: string) {
  return backend === run.backend ? run.wait : (run.waits?.[backend] ?? null);
}

export function withWait(run: RunState, backend: string, wait: Wait | null): RunState {
  if (backend === run.backend) return { ...run, wait };
  const { [backend]: _, ...others } = run.waits ?? {};
  const waits = wait === null ? others : { ...others, [backend]: wait };
  return { ...run, waits: Object.keys(waits).length === 0 ? undefined : waits };
}

export interface BackendWait {
  readonly backend: string;
  readonly wait: Wait;
}

/** The waits of all coding agents of a run, that of its default agent first. */
export function waitsByBackend(
  run: Pick<RunState, "wait" | "waits" | "backend">,
): readonly BackendWait[] {
  const others = Object.entries(run.waits ?? {}).map(([backend, wait]) => ({ backend, wait }));
  return run.wait === null ? others : [{ backend: run.backend, wait: run.wait }, ...others];
}

/** The wait of a run to show: that of its default agent, else the one that ends first; null: none. */
export function firstWait(run: Pick<RunState, "wait" | "waits" | "backend">): BackendWait | null {
  const [first, ...others] = waitsByBackend(run);
  if (first === undefined || first.backend === run.backend) return first ?? null;
  return others.reduce((best, one) => (one.wait.until < best.wait.until ? one : best), first);
}

/** The field `backend` of an event or wait: absent for the default agent of the run. */
export function ofBackend(
  run: Pick<RunState, "backend">,
  backend: string,
): { readonly backend?: string } {
  return backend === run.backend ? {} : { backend };
}
