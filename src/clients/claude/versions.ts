/**
 * Behavior of the client by version. 2.1.330 announces `capabilities` in its `init` event, but none of them is about
 * these facts (measured). Where the output itself shows the behavior, as `model_usage_since_last_result` does, that
 * counts instead.
 */
export const VERSIONS = {
  /** The oldest and the newest version that raymond was tested with. */
  tested: { from: [2, 1, 197], to: [2, 1, 332] },
  /** From this version on `total_cost_usd` is of the whole conversation (docs/claude.md, "Cost"). */
  cumulativeCost: [2, 1, 277],
} as const;
