import { isJsonObject, type JsonObject } from "../../language/basics/json-object.ts";

/** The version of the state files that this raymond writes. The type of `RunState.version` repeats it. */
export const STATE_VERSION = 1;

/** Converts the JSON of a state file to the next version. Must not throw on a damaged file. */
export type Upgrade = (json: JsonObject) => JsonObject;

/**
 * One upgrade per former version: the first converts version 1 to version 2. To change the format, increment
 * STATE_VERSION, append the upgrade, and write golden files of the former version (tests/golden/write.ts).
 */
export const UPGRADES: readonly Upgrade[] = [];

/**
 * The JSON of a state file in the current version. Returns anything that is not a state file of a former
 * version unchanged: the schema rejects it.
 */
export function upgradeState(json: unknown, upgrades: readonly Upgrade[] = UPGRADES): unknown {
  if (!isJsonObject(json)) return json;
  const { version } = json;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1) return json;
  return upgrades
    .slice(version - 1)
    .reduce(
      (before, convert, index) => ({ ...convert(before), version: version + index + 1 }),
      json,
    );
}
