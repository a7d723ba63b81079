/** The displayed state of a machine of a fleet. */
export type MachineState =
  /** Its worker claims runs. */
  | "working"
  /** Its worker claims no runs, and finishes those that it owns. */
  | "draining"
  /** Its worker owns no runs, and claims none. */
  | "drained"
  /** It has no live worker. */
  | "gone";

/** `activeRuns`: number of runs that its worker owns. */
export function machineState({
  lives,
  draining,
  activeRuns,
}: {
  readonly lives: boolean;
  readonly draining: boolean;
  readonly activeRuns: number;
}): MachineState {
  if (!lives) return "gone";
  if (!draining) return "working";
  return activeRuns > 0 ? "draining" : "drained";
}
