import path from "node:path";
import type { Caller } from "../../wire/caller.ts";
import type { System } from "../../wire/system/system.ts";
import { withStartLimit } from "../queue/admission/start-limits.ts";
import { environmentOf, handOverTree, type StepUser, startAs } from "../worker/step-user.ts";

/**
 * The caller of the runs of a worker. All of them share one environment, without what leads to the database of
 * the fleet. Their processes start in turns, as `stepUser` where there is one; `root`: the worker's state folder.
 */
export function runCaller(caller: Caller, stepUser: StepUser | null, root: string): Caller {
  const kept = Object.entries(caller.env).filter(([name]) => !TO_THE_DATABASE.has(name));
  const own = Object.fromEntries(kept);
  const env = Object.freeze(stepUser === null ? own : environmentOf(stepUser, own));
  const system = caller.system().then((given) => {
    const inTurn = withStartLimit(given);
    return stepUser === null ? inTurn : asStepUser(inTurn, stepUser, root);
  });
  return { ...caller, env, system: () => system };
}

const TO_THE_DATABASE: ReadonlySet<string> = new Set([
  ...["RAYMOND_FLEET", "RAYMOND_FLEET_FILE", "CREDENTIALS_DIRECTORY"],
]);

function asStepUser(system: System, user: StepUser, root: string): System {
  const { processes, kept } = system;
  const putBack: System["kept"]["putBack"] = async (copy, original) => {
    const done = await kept.putBack(copy, original);
    if (done) handOverTree(user, path.dirname(original));
    return done;
  };
  return {
    ...system,
    processes: { ...processes, start: startAs(processes.start, user, root) },
    kept: { ...kept, putBack },
  };
}
