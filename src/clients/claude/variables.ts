import {
  AGENT_VARIABLES,
  PROVIDER_VARIABLES,
} from "../../language/workflow/policy/base-variables.ts";

/** The variables that a call receives. `env` decides which provider of models is in use. */
export function claudeVariables(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const providers = PROVIDER_VARIABLES.filter((each) => isOn(env[each.switch]));
  return [...AGENT_VARIABLES, ...providers.flatMap(({ names }) => names)];
}

/** As the client reads its switches. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(?:|0|false|no|off)$/i.test(value.trim());
}
