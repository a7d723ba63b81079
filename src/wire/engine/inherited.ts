import path from "node:path";
import type { CodingAgent } from "../../clients/common/coding-agent.ts";
import {
  baseEnvironment,
  type Environment,
  environmentOf,
} from "../../engine/executors/environment.ts";
import type { Executor } from "../../engine/ports/executor.ts";
import {
  type DeclaredEnvironment,
  NO_ENVIRONMENT,
} from "../../language/workflow/policy/declared-environment.ts";
import { packageFolder } from "../../launch/package-folder.ts";
import {
  type EnvironmentSettings,
  stepEnvironment,
} from "../../machine/decide/step-environment.ts";
import { AGENTS } from "../agents/agents.ts";
import type { Caller } from "../caller.ts";
import { systemPlatform } from "../system/system.ts";

/** Replaces the clients, or its environment, for the prompts of a run. */
export interface Prompting {
  /** Variables for the client only; undefined removes a variable. */
  readonly env: Caller["env"];
  /** Clients of this machine by coding agent, instead of those of the run's settings. */
  readonly clients?: Readonly<Record<string, string>>;
  readonly around?: ((executor: Executor) => Executor) | undefined;
}

/** The environment of the client, with variables that are never inherited. */
export function clientEnvironment(
  { env }: Pick<Caller, "env">,
  prompting?: Prompting,
): Caller["env"] {
  return prompting === undefined ? env : { ...env, ...prompting.env };
}

export function inherited(launcher: NodeJS.ProcessEnv): Environment {
  const known = shared.get(launcher) ?? baseEnvironment(launcher, NESTED_VARIABLES);
  if (Object.isFrozen(launcher)) shared.set(launcher, known);
  return known;
}

const NESTED_VARIABLES: ReadonlySet<string> = new Set(
  AGENTS.flatMap(({ nestedVariables }) => nestedVariables),
);

/** Cached by environment: a worker has one for thousands of runs. */
const shared = new WeakMap<NodeJS.ProcessEnv, Environment>();

/** What prompts of a coding agent receive of it; null: what prompts of all of them receive. */
export function inheritedByPrompts(
  launcher: NodeJS.ProcessEnv,
  agent: Pick<CodingAgent, "account"> | null,
  settings: EnvironmentSettings,
  workflow: DeclaredEnvironment = NO_ENVIRONMENT,
  state: DeclaredEnvironment = NO_ENVIRONMENT,
): Environment {
  const step = stepEnvironment("prompt", settings, workflow, state);
  const env = inherited(launcher);
  return environmentOf(step, env, systemPlatform(), agent?.account.passed(env));
}

/** With this raymond first on the PATH (docs/authoring.md, "Environment"). */
export function inheritedByScripts(launcher: NodeJS.ProcessEnv): Environment {
  const env = inherited(launcher);
  const name = Object.keys(env).find((one) => one.toUpperCase() === "PATH");
  const value = name === undefined ? undefined : env[name];
  // Without PATH a shell uses its own default, which a value here would replace.
  if (name === undefined || value === undefined || value === "") return env;
  const folder = path.join(packageFolder(), "bin", "path");
  const others = value.split(path.delimiter).filter((one) => one !== folder);
  return { ...env, [name]: [folder, ...others].join(path.delimiter) };
}
