/** Set for a raymond process that `--detach` has started. Value: the run id. */
export const DETACHED = "RAYMOND_DETACHED";

/** Where the command to start that process came from. */
export const DETACHED_VIA = "RAYMOND_DETACHED_VIA";
