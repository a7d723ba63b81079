import type { RunSettings } from "../machine/model/run-state.ts";
import { printValue } from "./option.ts";
import { allOptions } from "./settings.ts";
import { flatSettings, type Settings } from "./switches.ts";

/** Absent: the default. */
type GivenSettings = { readonly [K in keyof Settings]?: Settings[K] | undefined };

/** The differences between two sets of settings, one per entry: `budget = 5 (was 2)`. */
export function settingChanges(before: GivenSettings, after: GivenSettings): readonly string[] {
  return allOptions().flatMap((option) => {
    const { field, key } = option;
    const [old, now] = [before, after].map((settings) =>
      printValue(option, settings[field] === undefined ? option.default : settings[field]),
    );
    return old === now ? [] : [`${key} = ${now ?? ""} (was ${old ?? ""})`];
  });
}

/** The same for the settings of a run and those given to it. The text of a command may contain a secret. */
export function runSettingChanges(
  run: RunSettings,
  given: Partial<RunSettings>,
): readonly string[] {
  const [old, now] = [run, { ...run, ...given }].map((settings) => ({
    ...flatSettings(settings),
    notify: null,
  }));
  const notify =
    given.notify === undefined || given.notify === run.notify ? [] : ["notify changed"];
  return [...settingChanges(old ?? {}, now ?? {}), ...notify];
}
