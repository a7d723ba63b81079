import { inspectEnvironment, unknownVariables } from "../config/environment.ts";
import { ConfigError, settingPlace } from "../config/errors.ts";
import {
  type ConfigFile,
  configPath,
  findConfig,
  type InspectedConfig,
  inspectConfig,
} from "../config/load.ts";
import { type Merged, mergeSettings, type SettingSource } from "../config/merge.ts";
import { printValue } from "../config/option.ts";
import { allOptions, OPTIONS, type PartialSettings } from "../config/settings.ts";
import type { Settings } from "../config/switches.ts";
import { OWN_VARIABLES } from "../engine/executors/environment.ts";
import { type Check, failure, ok, warning } from "../inspect/check.ts";
import { projectOf, withFolders } from "../wire/settings.ts";
import { isFolder } from "../wire/system/system.ts";

/** A setting of a new run without flags. */
export interface Setting {
  /** As in the configuration file. */
  readonly key: string;
  readonly value: string;
  readonly origin: SettingSource;
  /** `the default`, the name of a variable, or file and line. */
  readonly source: string;
}

export interface Configuration extends Pick<Merged, "granted"> {
  readonly settings: Settings;
  readonly values: readonly Setting[];
  readonly checks: readonly Check[];
  /** `agent`: the source of its client. */
  readonly sourceOf: (field: keyof Settings, agent?: string) => string;
  /** The problem hides which client is configured. */
  readonly clientHidden: boolean;
}

/**
 * Reads the configuration of this state folder. Each problem is a check; other settings are
 * reported as they are.
 */
export async function checkConfiguration(
  root: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Configuration> {
  const environment = inspectEnvironment(env);
  const file = root === null ? null : await inspectFile(root);
  const errors = [...environment.errors, ...(file?.errors ?? [])];
  const described = describe(file, environment.settings, env);
  const warnings = [...unknownVariables(env, OWN_VARIABLES), ...(file?.warnings ?? [])];
  const checks = [
    ...(errors.length === 0 ? [described.summary] : errors.map(failed)),
    ...described.set,
    ...missingFolders(root, described),
    ...warnings.map((text) => warning("config", text, "Correct the name, or take it away.")),
  ];
  return {
    ...described,
    checks,
    clientHidden: errors.some(hidesClient) && described.isDefault("clients"),
  };
}

function missingFolders(
  root: string | null,
  { settings, sourceOf }: Pick<Described, "settings" | "sourceOf">,
): readonly Check[] {
  const { workflowPath } = withFolders(settings, projectOf(root ?? ""));
  const missing = workflowPath.filter((folder) => !isFolder(folder));
  const source = sourceOf("workflowPath");
  return missing.map((folder) =>
    warning(
      "config",
      `workflow_path (by ${source}) names ${folder}, which is no folder.`,
      "Make it, or take it out of the list.",
    ),
  );
}

async function inspectFile(root: string): Promise<InspectedConfig | null> {
  try {
    const found = await findConfig(root);
    return found === null ? null : await inspectConfig(found);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { file: configPath(root), settings: {}, lines: {}, warnings: [], errors: [error] };
  }
}

function failed({ message, hint }: ConfigError): Check {
  return failure("config", message, hint ?? "Correct it.");
}

/** The whole file, or the setting of the client, cannot be read. */
function hidesClient({ key, place }: ConfigError): boolean {
  return (
    (key === null && "file" in place) ||
    [OPTIONS.clients.key, OPTIONS.clients.alias?.key].includes(key ?? "")
  );
}

interface Described extends Pick<Configuration, "settings" | "values" | "sourceOf" | "granted"> {
  readonly summary: Check;
  readonly set: readonly Check[];
  readonly isDefault: (field: keyof Settings) => boolean;
}

function describe(
  file: ConfigFile | null,
  environment: PartialSettings,
  env: Readonly<Record<string, string | undefined>>,
): Described {
  const merged = mergeSettings({ flags: {}, environment, file });
  const { settings, origins, clientOrigins, granted } = merged;
  const originOf = (field: keyof Settings, agent?: string): SettingSource =>
    agent === undefined ? origins[field] : (clientOrigins[agent] ?? "default");
  const sourceOf = (field: keyof Settings, agent?: string): string => {
    switch (originOf(field, agent)) {
      case "flag":
        return "a flag";
      case "environment":
        return variableOf(field, agent, settings, env) ?? "the environment";
      case "file":
        return settingPlace({ file: file?.file ?? "", line: file?.lines[field] ?? null });
      case "workflow":
        return "the workflow";
      case "default":
        return "the default";
    }
  };
  const values = allOptions().flatMap((option): readonly Setting[] => {
    const { key, field } = option;
    const clients = field === "clients" ? Object.entries(settings.clients) : [];
    if (clients.length > 0) {
      return clients.map(([agent, client]) => ({
        ...{ key: `${key}.${agent}`, value: JSON.stringify(client) },
        ...{ origin: originOf(field, agent), source: sourceOf(field, agent) },
      }));
    }
    const value = printValue(option, settings[field]);
    return [{ key, value, origin: originOf(field), source: sourceOf(field) }];
  });
  const set = values.filter(({ origin }) => origin !== "default");
  const where = file === null ? "no configuration file" : file.file;
  const rest = set.length === 0 ? "all settings are the defaults" : "the rest are defaults";
  return {
    settings,
    values,
    sourceOf,
    granted,
    summary: ok("config", `${where}; ${rest}`),
    set: set.map(({ key, value, source }) => ok("config", `${key} = ${value} (by ${source})`)),
    isDefault: (field) => origins[field] === "default",
  };
}

/** The variable that sets a field, or the client of an agent: some fields have an earlier name too. */
function variableOf(
  field: keyof Settings,
  agent: string | undefined,
  { clients }: Pick<Settings, "clients">,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { variable, alias } = OPTIONS[field];
  const client = clients[agent ?? ""];
  if (alias === undefined || client === undefined || agent !== alias.entry) return variable;
  const isEarlier =
    env[alias.variable] === client && env[variable ?? ""]?.endsWith(client) !== true;
  return isEarlier ? alias.variable : variable;
}
