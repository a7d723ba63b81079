import { nearest } from "../language/basics/nearest.ts";
import type { Option } from "./option.ts";
import { allOptions, optionByKey, switches } from "./settings.ts";

/** A suggested setting, and whether the name was its opposite: `no_debug`. */
export interface OptionSuggestion {
  readonly option: Option;
  readonly opposite: boolean;
}

/**
 * The setting that an unknown name probably means: the form of a flag (`--keep-going`, `no-debug`)
 * or of the state file (`budget_usd`), a suffix (`skip_permissions`), or a typo. Null if nothing is
 * similar.
 */
export function suggestOption(name: string): OptionSuggestion | null {
  const key = name
    .toLowerCase()
    .replace(/^-+/, "")
    .replaceAll("-", "_")
    .replace(/_(?:usd|s)$/, "");
  const option = optionByKey(key);
  if (option !== undefined) return { option, opposite: false };
  const negated = switches().find((each) => key === `no_${each.key}` || key === `no${each.key}`);
  if (negated !== undefined) return { option: negated, opposite: true };
  const keys = allOptions().map((each) => each.key);
  const [ending, other] = keys.filter((each) => each.endsWith(`_${key}`));
  const near = ending !== undefined && other === undefined ? ending : nearest(key, keys);
  const found = near === null ? undefined : optionByKey(near);
  return found === undefined ? null : { option: found, opposite: false };
}
