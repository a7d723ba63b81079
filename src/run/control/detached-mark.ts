/** Set for a raymond process that `--detach` has started. Value: the run id. */
export const DETACHED = "RAYMOND_DETACHED";
