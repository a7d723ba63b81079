/** The variable by which a raymond learns that it drives a run on its own, and the id of that. */
export const DETACHED = "RAYMOND_DETACHED";
