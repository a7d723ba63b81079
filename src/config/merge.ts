import { settingPlace } from "./errors.ts";
import type { ConfigFile } from "./load.ts";
import { DEFAULTS, OPTIONS, type PartialSettings } from "./settings.ts";
import type { Settings } from "./switches.ts";

export type SettingSource = "flag" | "environment" | "file" | "workflow" | "default";

export interface Merged {
  readonly settings: Settings;
  /** Who decided each setting. */
  readonly origins: Readonly<Record<keyof Settings, SettingSource>>;
  /** What the user should know before the run: permissions that come from a file, with its path. */
  readonly notices: readonly string[];
}

/** Flags over environment over file over what the workflow says over defaults (docs/configuration.md, "Configuration"). */
export function mergeSettings(sources: {
  readonly flags: PartialSettings;
  readonly environment: PartialSettings;
  readonly file: ConfigFile | null;
  /** What the workflow says of itself (docs/authoring.md, "What a workflow takes"). */
  readonly workflow?: PartialSettings;
}): Merged {
  const ranked: readonly (readonly [SettingSource, PartialSettings])[] = [
    ["flag", sources.flags],
    ["environment", sources.environment],
    ["file", sources.file?.settings ?? {}],
    ["workflow", sources.workflow ?? {}],
    ["default", DEFAULTS],
  ];

  const settings: Partial<Record<keyof Settings, unknown>> = {};
  const origins: Partial<Record<keyof Settings, SettingSource>> = {};
  for (const field of Object.keys(OPTIONS) as (keyof Settings)[]) {
    // null is a value (no limit, none named): only undefined is nothing said.
    const [origin, values] = ranked.find(([, said]) => said[field] !== undefined) ?? [
      "default",
      DEFAULTS,
    ];
    settings[field] = values[field];
    origins[field] = origin;
  }
  const merged = {
    settings: settings as unknown as Settings,
    origins: origins as Record<keyof Settings, SettingSource>,
  };
  return { ...merged, notices: sources.file === null ? [] : noticesOf(sources.file, merged) };
}

/** What a file may not decide in silence: it may have come with somebody else's project. */
const PERMISSIONS: readonly (keyof Settings)[] = [
  "skipPermissions",
  "allowedTools",
  "client",
  "notify",
];

function noticesOf(
  file: ConfigFile,
  { settings, origins }: Omit<Merged, "notices">,
): readonly string[] {
  return PERMISSIONS.filter(
    (field) => origins[field] === "file" && settings[field] !== DEFAULTS[field],
  ).map((field) => {
    const place = settingPlace({ file: file.file, line: file.lines[field] ?? null });
    return `${OPTIONS[field].key} = ${JSON.stringify(settings[field])} comes from ${place}.`;
  });
}
