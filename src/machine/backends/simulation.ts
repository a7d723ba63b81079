/** The backend that reads its replies from a file. It is free; its costs are simulated. */
export const SIMULATION = "simulation";

/** Whether the costs of a run on this backend are simulated. */
export function isSimulated(backend: string): boolean {
  return backend === SIMULATION;
}
