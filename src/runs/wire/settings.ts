import { readEnvironment, unknownVariables } from "../../config/environment.ts";
import { findConfig, loadConfig } from "../../config/load.ts";
import { type Merged, mergeSettings } from "../../config/merge.ts";
import type { PartialSettings } from "../../config/settings.ts";
import { runSettings } from "../../config/switches.ts";
import type { RunSettings } from "../../core/machine/run-state.ts";
import { OWN_VARIABLES } from "../../executors/environment.ts";
import type { Caller } from "../caller.ts";

/**
 * The settings of a new run: what is given (flags) over environment over file over what the workflow says over defaults
 * (docs/configuration.md, "Configuration").
 */
export async function readSettings(
  given: PartialSettings,
  root: string,
  { env }: Pick<Caller, "env">,
  workflow: PartialSettings = {},
): Promise<
  Pick<Merged, "notices"> & { readonly settings: RunSettings; readonly warnings: readonly string[] }
> {
  const environment = readEnvironment(env);
  const found = await findConfig(root);
  const file = found === null ? null : await loadConfig(found);
  const warnings = [...unknownVariables(env, OWN_VARIABLES), ...(file?.warnings ?? [])];
  const { settings, notices } = mergeSettings({ flags: given, environment, file, workflow });
  return { settings: runSettings(settings), notices, warnings };
}
