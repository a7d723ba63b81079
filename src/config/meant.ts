import { nearest } from "../core/nearest.ts";
import type { Option } from "./option.ts";
import { allOptions, optionByKey, switches } from "./settings.ts";

/** A setting that was probably meant, and whether its opposite was: `no_debug`. */
export interface Meant {
  readonly option: Option;
  readonly opposite: boolean;
}

/**
 * What was probably meant by a name that is no key: one as a flag has it
 * (`--keep-going`, `no-debug`), as the state file has it (`budget_usd`), the end
 * of one (`skip_permissions`), or a slip. Null where nothing is near.
 */
export function meantOption(name: string): Meant | null {
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
