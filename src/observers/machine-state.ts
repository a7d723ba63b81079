/** The state of a machine of a fleet, as people see it. */
export type MachineState =
  /** Its worker claims runs. */
  | "working"
  /** Its worker claims none, and finishes those that it has. */
  | "draining"
  /** Its worker has no runs, and claims none. */
  | "drained"
  /** It has no worker that lives. */
  | "gone";

/** `inHand`: how many runs its worker has. */
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
