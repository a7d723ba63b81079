import { readEnvironment, unknownVariables } from "../config/environment.ts";
import { findConfig, loadConfig } from "../config/load.ts";
import { type Merged, mergeSettings } from "../config/merge.ts";
import { runSettings } from "../config/switches.ts";
import type { RunSettings } from "../core/machine/run-state.ts";
import { OWN_VARIABLES } from "../executors/environment.ts";
import { settingsOf } from "./run-flags.ts";
import type { RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";

/**
 * The settings of a new run: flags over environment over file over defaults
 * (docs/configuration.md, "Configuration").
 */
export async function readSettings(
  options: RunOptions,
  root: string,
  shell: Shell,
): Promise<
  Pick<Merged, "notices"> & { readonly settings: RunSettings; readonly warnings: readonly string[] }
> {
  const flags = settingsOf(options);
  const environment = readEnvironment(shell.env);
  const found = await findConfig(root);
  const file = found === null ? null : await loadConfig(found);
  const warnings = [...unknownVariables(shell.env, OWN_VARIABLES), ...(file?.warnings ?? [])];
  const { settings, notices } = mergeSettings({ flags, environment, file });
  return { settings: runSettings(settings), notices, warnings };
}
