import { RaymondError } from "../core/errors.ts";
import { toUsd } from "../core/money.ts";
import { type Option, readValue } from "./option.ts";
import { OPTIONS, type PartialSettings } from "./settings.ts";
import type { Settings } from "./switches.ts";

/** A setting that a program gives is none, or is not what the option takes. */
export class BadSettingError extends RaymondError {
  override readonly name = "BadSettingError";
  readonly code = "config/invalid";

  constructor(field: string, problem: string) {
    super(`The setting ${field} cannot be used: ${problem}.`, {
      hint: "docs/library.md says how settings are given, docs/configuration.md what each is.",
    });
  }
}

/** Throws a {@link BadSettingError} for settings that no run can have: types do not hold a program to them. */
export function checkGiven(given: PartialSettings): void {
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(OPTIONS, field)) throw new BadSettingError(field, "there is none");
    const option = OPTIONS[field as keyof Settings];
    if (isPossible(option, value)) continue;
    const { expects: kind, unit } = option;
    const expects = unit === undefined ? kind : `${kind}, and here in ${unit}`;
    throw new BadSettingError(field, `it is ${JSON.stringify(value)}, and must be ${expects}`);
  }
}

function isPossible(option: Option, value: unknown): boolean {
  // Without its schema, which takes a while to load.
  if (typeof value === "boolean") return typeof option.default === "boolean";
  return asWritten(option, value).some((written) => readValue(option, written).ok);
}

/** What could stand in the file for a value that a run has. */
function asWritten(option: Option, value: unknown): readonly unknown[] {
  if (value === null) return [option.nothing];
  if (typeof value !== "number" || option.unit === undefined) return [value];
  return [option.unit === "milliseconds" ? value / 1_000 : toUsd(value)];
}
