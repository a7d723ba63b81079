import { RaymondError } from "../core/errors.ts";
import { toUsd } from "../core/money.ts";
import { type Option, readValue } from "./option.ts";
import { DEFAULTS, OPTIONS, type PartialSettings } from "./settings.ts";
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
    const unit = unitOf(option);
    const expects = `${option.expects}${unit === null ? "" : `, and here in ${unit}`}`;
    throw new BadSettingError(field, `it is ${JSON.stringify(value)}, and must be ${expects}`);
  }
}

function isPossible(option: Option, value: unknown): boolean {
  // Without its schema, which takes a while to load.
  if (typeof value === "boolean") return typeof DEFAULTS[option.field] === "boolean";
  return asWritten(option, value).some((written) => readValue(option, written).ok);
}

/** What could stand in the file for a value that a run has. */
function asWritten(option: Option, value: unknown): readonly unknown[] {
  if (value === null) return ["none", "default"];
  if (typeof value !== "number") return [value];
  switch (unitOf(option)) {
    case "milliseconds":
      return [value / 1_000];
    case "micro-dollars":
      return [toUsd(value)];
    case null:
      return [value];
  }
}

function unitOf({ field }: Option): "milliseconds" | "micro-dollars" | null {
  if (field === "budgetMicroUsd") return "micro-dollars";
  return field.endsWith("Ms") ? "milliseconds" : null;
}
