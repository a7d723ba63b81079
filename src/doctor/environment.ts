import { type Check, ok, warning } from "../inspect/check.ts";
import { counted } from "../language/basics/counted.ts";
import { usualAgent } from "../language/basics/default-agent.ts";
import {
  matchesVariable,
  NO_ENVIRONMENT,
} from "../language/workflow/policy/declared-environment.ts";
import {
  type EnvironmentSettings,
  stepEnvironment,
  variableFilter,
} from "../machine/decide/step-environment.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { findAgent } from "../wire/agents/agents.ts";
import type { Caller } from "../wire/caller.ts";
import { inherited } from "../wire/engine/inherited.ts";
import { systemPlatform } from "../wire/system/system.ts";

/** The variables that prompts and scripts receive without the `env` of a workflow. Names only. */
export function checkEnvironment(
  settings: EnvironmentSettings & Pick<RunSettings, "agents">,
  launcher: Caller["env"],
  sourceOf: (field: "envPass" | "envSecret") => string,
): readonly Check[] {
  const env = inherited(launcher);
  const names = Object.keys(env).toSorted();
  const ignoreCase = systemPlatform() === "windows";
  const ofAgent = findAgent(usualAgent(settings))?.account.passed(env) ?? [];
  const seen = (["prompt", "script"] as const).map((kind) => {
    const step = stepEnvironment(kind, settings, NO_ENVIRONMENT, NO_ENVIRONMENT);
    const passed = names.filter(variableFilter(step, ofAgent, ignoreCase));
    const count = `${String(passed.length)} of ${counted(names.length, "variable")}`;
    const which = passed.length === names.length ? "" : `: ${passed.join(", ")}`;
    return ok("env", `${kind}s receive ${count} (by ${sourceOf("envPass")})${which}`);
  });
  const unset = settings.envSecret.filter(
    (pattern) => !names.some((name) => matchesVariable([pattern], name, ignoreCase)),
  );
  const missing = unset.map((name) =>
    warning(
      "env",
      `env_secret (by ${sourceOf("envSecret")}) names ${name}, which is not set here, so nothing is redacted for it.`,
      "Correct the name, or set the variable.",
    ),
  );
  return [...seen, ...missing];
}
