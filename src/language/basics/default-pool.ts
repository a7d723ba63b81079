/** The fleet pool of workers and runs that name none. */
export const DEFAULT_POOL = "default";
