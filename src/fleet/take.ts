import { RaymondError } from "../core/errors.ts";
import type { RunId } from "../core/machine/run-state.ts";
import { isLive } from "../core/machine/stop.ts";
import type { Control } from "../engine/engine.ts";
import { BrokenOffError } from "../runs/errors.ts";
import { changePlacement, findPlacement } from "../stores/postgres/placed-runs.ts";
import { type Host, runHere, setRunAside } from "./run-here.ts";

/** How one going on of a run ended here. */
export type Taken =
  | { readonly kind: "over"; readonly status: string }
  /** There is nothing to go on with: it is gone, set aside, or another has it by now. */
  | { readonly kind: "none" }
  /** It was broken off, and can be tried again here. */
  | { readonly kind: "again"; readonly why: string };

/**
 * Takes a run, and goes on with it until it ends or stops. What a person has to mend is recorded as
 * the reason that it has failed of.
 */
export async function take(id: RunId, control: Partial<Control>, host: Host): Promise<Taken> {
  const { database, store } = host;
  const row = await findPlacement(database, id);
  if (row === null) return { kind: "none" };
  const lock = await store.lock(id, { takeOver: true });
  try {
    const run = await store.load(id);
    if (run === undefined) return { kind: "none" };
    if (row.setAside !== null) {
      if (isLive(run)) await setRunAside(run, row.setAside, host);
      return { kind: "none" };
    }
    const ended = await runHere(run, row, control, host).catch(async (error: unknown) => {
      // Found before anything of it was begun here: nothing but a person changes that.
      if (error instanceof RaymondError && !isAway(error))
        return setRunAside(run, error.message, host);
      throw error;
    });
    await changePlacement(database, id, { open: false });
    return { kind: "over", status: ended.status };
  } catch (error) {
    const cause = error instanceof BrokenOffError ? error.cause : error;
    if (cause instanceof RaymondError && TAKEN.has(cause.code)) return { kind: "none" };
    return { kind: "again", why: cause instanceof Error ? cause.message : String(cause) };
  } finally {
    await lock.release();
  }
}

/** Another has it. */
const TAKEN: ReadonlySet<string> = new Set(["store/run-taken", "store/run-locked"]);

/** The database is the reason, and no person need look at the run. */
function isAway({ code }: RaymondError): boolean {
  return (
    TAKEN.has(code) ||
    code.startsWith("fleet/away") ||
    code === "fleet/refused" ||
    code === "fleet/worker-over"
  );
}
