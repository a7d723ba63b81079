/** Which scripts can run here: decides what a bare state name may mean (spec 1.2). */
export type Platform = "unix" | "windows";
