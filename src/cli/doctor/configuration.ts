import { readEnvironment } from "../../config/environment.ts";
import { placeText } from "../../config/errors.ts";
import { type ConfigFile, findConfig, loadConfig } from "../../config/load.ts";
import { mergeSettings, type Origin } from "../../config/merge.ts";
import { allOptions, DEFAULTS, OPTIONS } from "../../config/settings.ts";
import { RaymondError } from "../../core/errors.ts";
import type { RunSettings } from "../../core/machine/run-state.ts";
import { toUsd } from "../../core/money.ts";
import { type Check, failure, ok, warning } from "./check.ts";

/** One setting of a run that would be started now without flags. */
export interface Setting {
  /** As in the configuration file. */
  readonly key: string;
  /** As a person writes it. */
  readonly value: string;
  readonly origin: Origin;
  /** `the default`, the name of a variable, or file and line. */
  readonly source: string;
}

/** The configuration as a new run would find it. */
export interface Configuration {
  readonly settings: RunSettings;
  readonly values: readonly Setting[];
  readonly checks: readonly Check[];
  readonly sourceOf: (field: keyof RunSettings) => string;
}

/** Reads the configuration of this state folder. What is wrong with it is a check; then the defaults are told. */
export async function checkConfiguration(
  root: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Configuration> {
  try {
    const found = root === null ? null : await findConfig(root);
    const file = found === null ? null : await loadConfig(found);
    return describe(file, env);
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    const failed = failure("config", error.message, error.hint ?? "Correct it.");
    return { ...describe(null, {}), checks: [failed] };
  }
}

function describe(
  file: ConfigFile | null,
  env: Readonly<Record<string, string | undefined>>,
): Configuration {
  const environment = readEnvironment(env);
  const { settings, origins } = mergeSettings({ flags: {}, environment, file });
  const sourceOf = (field: keyof RunSettings): string => {
    const { variable } = OPTIONS[field];
    switch (origins[field]) {
      case "flag":
        return "a flag";
      case "environment":
        return variable ?? "the environment";
      case "file":
        return placeText({ file: file?.file ?? "", line: file?.lines[field] ?? null });
      case "default":
        return "the default";
    }
  };
  const values = allOptions().map(
    ({ key, field }): Setting => ({
      key,
      value: printSetting(field, settings),
      origin: origins[field],
      source: sourceOf(field),
    }),
  );
  const set = values.filter(({ origin }) => origin !== "default");
  const where = file === null ? "no configuration file" : file.file;
  const rest = set.length === 0 ? "all settings are the defaults" : "the rest are defaults";
  return {
    settings,
    values,
    sourceOf,
    checks: [
      ok("config", `${where}; ${rest}`),
      ...set.map(({ key, value, source }) => ok("config", `${key} = ${value} (by ${source})`)),
      ...(file?.warnings ?? []).map((text) =>
        warning("config", text, "Correct the key, or remove the line."),
      ),
    ],
  };
}

/** A setting as it could stand in the file. */
function printSetting(field: keyof RunSettings, settings: RunSettings): string {
  const value = settings[field];
  if (value === DEFAULTS[field]) return OPTIONS[field].default;
  if (value === null) return field === "budgetMicroUsd" ? '"none"' : '"default"';
  if (typeof value !== "number") return JSON.stringify(value);
  if (field === "budgetMicroUsd") return String(toUsd(value));
  return field.endsWith("Ms") ? printSpan(value) : String(value);
}

/** A span of ms as the file takes it, in the largest unit that fits. */
function printSpan(ms: number): string {
  if (ms === 0) return "0";
  const [unit, size] = UNITS.find(([, each]) => ms % each === 0) ?? ["ms", 1];
  return JSON.stringify(`${String(ms / size)}${unit}`);
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;
