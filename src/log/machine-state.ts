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

/** `inHand`: number of runs that its worker owns. */
export function machineState({
  lives,
  draining,
  inHand,
}: {
  readonly lives: boolean;
  readonly draining: boolean;
  readonly inHand: number;
}): MachineState {
  if (!lives) return "gone";
  if (!draining) return "working";
  return inHand > 0 ? "draining" : "drained";
}
