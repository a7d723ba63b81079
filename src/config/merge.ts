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
  /** The same as the subject of trust; null without a file. */
  readonly granted: { readonly file: string; readonly statements: readonly string[] } | null;
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
  const { file } = sources;
  return {
    ...merged,
    ...(file === null ? { notices: [], granted: null } : fromFile(file, merged)),
  };
}

/** What a file may not decide in silence: it may have come with somebody else's project. */
const PERMISSIONS = [
  "skipPermissions",
  "allowedTools",
  "client",
  "notify",
  "protectWorkflow",
  "changedFiles",
  "workflowPath",
] as const satisfies readonly (keyof Settings)[];

/** A setting that decides what is executed or permitted, and is not the default. */
export interface ChangedDefault {
  readonly field: (typeof PERMISSIONS)[number];
  readonly value: unknown;
  /** `KEY = VALUE`, as in the file. */
  readonly text: string;
}

/** Those of the settings that decide what is executed or permitted, where they are not the default. */
export function changedDefaults(settings: PartialSettings): readonly ChangedDefault[] {
  return PERMISSIONS.flatMap((field) => {
    const value = settings[field];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(DEFAULTS[field])) return [];
    return [{ field, value, text: `${OPTIONS[field].key} = ${JSON.stringify(value)}` }];
  });
}

function fromFile(
  file: ConfigFile,
  { settings, origins }: Pick<Merged, "settings" | "origins">,
): Pick<Merged, "notices" | "granted"> {
  const granted = changedDefaults(settings).filter(({ field }) => origins[field] === "file");
  const notices = granted.map(({ field, text }) => {
    const place = settingPlace({ file: file.file, line: file.lines[field] ?? null });
    return `${text} comes from ${place}.`;
  });
  return { notices, granted: { file: file.file, statements: granted.map(({ text }) => text) } };
}
