import { NESTED_MARKS } from "../../backends/claude/environment.ts";
import { baseEnvironment, type Environment } from "../../executors/environment.ts";

/** What everything inherits that raymond starts, scripts and clients alike. */
export function inherited(launcher: NodeJS.ProcessEnv): Environment {
  return baseEnvironment(launcher, NESTED_MARKS);
}
