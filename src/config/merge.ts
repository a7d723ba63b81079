import type { RunSettings } from "../core/machine/run-state.ts";
import { placeText } from "./errors.ts";
import type { ConfigFile } from "./load.ts";
import { DEFAULTS, OPTIONS, type PartialSettings } from "./settings.ts";

export type Origin = "flag" | "environment" | "file" | "default";

export interface Merged {
  readonly settings: RunSettings;
  /** Who decided each setting. */
  readonly origins: Readonly<Record<keyof RunSettings, Origin>>;
  /** What the user should know before the run: permissions that come from a file, with its path. */
  readonly notices: readonly string[];
}

/** Flags over environment over file over defaults (docs/configuration.md, "Configuration"). */
export function mergeSettings(sources: {
  readonly flags: PartialSettings;
  readonly environment: PartialSettings;
  readonly file: ConfigFile | null;
}): Merged {
  const ranked: readonly (readonly [Origin, PartialSettings])[] = [
    ["flag", sources.flags],
    ["environment", sources.environment],
    ["file", sources.file?.settings ?? {}],
    ["default", DEFAULTS],
  ];

  const settings: Partial<Record<keyof RunSettings, unknown>> = {};
  const origins: Partial<Record<keyof RunSettings, Origin>> = {};
  for (const field of Object.keys(OPTIONS) as (keyof RunSettings)[]) {
    // null is a value (no limit, none named): only undefined is nothing said.
    const [origin, values] = ranked.find(([, said]) => said[field] !== undefined) ?? [
      "default",
      DEFAULTS,
    ];
    settings[field] = values[field];
    origins[field] = origin;
  }
  const merged = {
    settings: settings as unknown as RunSettings,
    origins: origins as Record<keyof RunSettings, Origin>,
  };
  return { ...merged, notices: sources.file === null ? [] : noticesOf(sources.file, merged) };
}

/** What a file may not decide in silence: it may have come with somebody else's project. */
const PERMISSIONS: readonly (keyof RunSettings)[] = [
  "skipPermissions",
  "allowedTools",
  "claude",
  "notify",
];

function noticesOf(
  file: ConfigFile,
  { settings, origins }: Omit<Merged, "notices">,
): readonly string[] {
  return PERMISSIONS.filter(
    (field) => origins[field] === "file" && settings[field] !== DEFAULTS[field],
  ).map((field) => {
    const place = placeText({ file: file.file, line: file.lines[field] ?? null });
    return `${OPTIONS[field].key} = ${JSON.stringify(settings[field])} comes from ${place}.`;
  });
}
