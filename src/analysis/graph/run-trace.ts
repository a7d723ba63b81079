import type { StateName } from "../../language/protocol/transition.ts";
import type { Visited } from "./graph.ts";

/** Where a run has been: what it has done in each state, and each way that it took. */
export interface RunTrace {
  readonly states: ReadonlyMap<StateName, Visited>;
  readonly trips: readonly TracedMove[];
}

/**
 * A way that was taken so often. `end`: an agent has ended in `from`, as worker or
 * as the first one. `refused`: the gate `to` did not let it through.
 */
export type TracedMove = { readonly from: StateName; readonly times: number } & (
  | { readonly kind: "moved" | "forked" | "refused"; readonly to: StateName }
  | { readonly kind: "end"; readonly worker: boolean }
);
