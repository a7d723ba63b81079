import { NESTED_MARKS } from "../../backends/claude/environment.ts";
import { baseEnvironment, type Environment } from "../../executors/environment.ts";

/** What everything inherits that raymond starts, scripts and clients alike. */
export function inherited(launcher: NodeJS.ProcessEnv): Environment {
  const known = shared.get(launcher) ?? baseEnvironment(launcher, NESTED_MARKS);
  if (Object.isFrozen(launcher)) shared.set(launcher, known);
  return known;
}

/** What is inherited of environments that nobody changes: a worker has one for thousands of runs. */
const shared = new WeakMap<NodeJS.ProcessEnv, Environment>();
