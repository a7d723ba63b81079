/**
 * Which scripts can run here: decides what a bare state name may mean
 * (docs/protocol.md, "Which file a name means").
 */
export type Platform = "unix" | "windows";
