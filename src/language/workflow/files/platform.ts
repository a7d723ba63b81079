/** Decides which scripts can run, and so what a state name means (docs/protocol.md, "State names"). */
export type Platform = "unix" | "windows";
