import { toUsd } from "../language/basics/money.ts";
import { configErrors } from "./errors.ts";
import { type Option, readValue } from "./option.ts";
import { OPTIONS, type PartialSettings } from "./settings.ts";
import type { Settings } from "./switches.ts";

/** Throws `config/invalid` for an unknown setting or an invalid value: programs may bypass the types. */
export function checkSettings(given: PartialSettings): void {
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(OPTIONS, field))
      throw configErrors["config/invalid"](field, "unknown setting");
    const option = OPTIONS[field as keyof Settings];
    if (isPossible(option, value)) continue;
    const { expects: kind, unit } = option;
    const expects = unit === undefined ? kind : `${kind}, in ${unit}`;
    const problem =
      option.problem?.(value) ?? `is ${JSON.stringify(value)}, but must be ${expects}`;
    throw configErrors["config/invalid"](field, problem);
  }
}

function isPossible(option: Option, value: unknown): boolean {
  // Avoids the schema, which is slow to load.
  if (typeof value === "boolean") return typeof option.default === "boolean";
  return asWritten(option, value).some((written) => readValue(option, written).ok);
}

/** The file notations of a run's value. */
function asWritten(option: Option, value: unknown): readonly unknown[] {
  if (value === null) return [option.nullWord];
  if (typeof value !== "number" || option.unit === undefined) return [value];
  return [option.unit === "milliseconds" ? value / 1_000 : toUsd(value)];
}
