import path from "node:path";
import { NESTED_SESSION_VARIABLES } from "../../clients/claude/environment.ts";
import { baseEnvironment, type Environment } from "../../engine/executors/environment.ts";
import { packageFolder } from "../../launch/package-folder.ts";

/** What everything inherits that raymond starts, scripts and clients alike. */
export function inherited(launcher: NodeJS.ProcessEnv): Environment {
  const known = shared.get(launcher) ?? baseEnvironment(launcher, NESTED_SESSION_VARIABLES);
  if (Object.isFrozen(launcher)) shared.set(launcher, known);
  return known;
}

/** Cached by environment: a worker has one for thousands of runs. */
const shared = new WeakMap<NodeJS.ProcessEnv, Environment>();

/** The same for scripts, which find this raymond as `raymond` (docs/authoring.md, "Environment"). */
export function inheritedByScripts(launcher: NodeJS.ProcessEnv): Environment {
  return withRaymond(inherited(launcher));
}

function withRaymond(env: Environment): Environment {
  const name = Object.keys(env).find((one) => one.toUpperCase() === "PATH");
  const value = name === undefined ? undefined : env[name];
  // Without a PATH a shell has one of its own, which would be lost.
  if (name === undefined || value === undefined || value === "") return env;
  const folder = path.join(packageFolder(), "bin", "path");
  const others = value.split(path.delimiter).filter((one) => one !== folder);
  return { ...env, [name]: [folder, ...others].join(path.delimiter) };
}
