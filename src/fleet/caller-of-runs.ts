import type { Caller } from "../runs/caller.ts";
import { startingInTurn } from "./beginning.ts";

/** As whom a worker goes on with its runs: all of them share one environment, and their processes start in turns. */
export function callerOfRuns(caller: Caller): Caller {
  const system = caller.system().then(startingInTurn);
  return { ...caller, env: Object.freeze({ ...caller.env }), system: () => system };
}
