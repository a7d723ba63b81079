/** The pool of a fleet that workers and runs are of which name none. */
export const USUAL_POOL = "default";
