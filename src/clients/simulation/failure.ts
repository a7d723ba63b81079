/** How a scripted call can fail (docs/simulation.md, "What it holds"). */
export const FAILURES = ["crash", "outage", "limit", "deterministic"] as const;
export type ScriptedFailure = (typeof FAILURES)[number];
