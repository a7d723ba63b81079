import { DEFAULT_AGENT, usualAgent } from "../language/basics/default-agent.ts";
import { mergeClients, resolveClients } from "./client-setting.ts";
import { settingPlace } from "./errors.ts";
import type { ConfigFile } from "./load.ts";
import { DEFAULTS, OPTIONS, type PartialSettings } from "./settings.ts";
import { type Settings, withLevel } from "./switches.ts";

export type SettingSource = "flag" | "environment" | "file" | "workflow" | "default";

export interface Merged {
  readonly settings: Settings;
  readonly origins: Readonly<Record<keyof Settings, SettingSource>>;
  /** The source of each client, by coding agent: tables of clients merge. */
  readonly clientOrigins: Readonly<Record<string, SettingSource>>;
  /** Permissions from a configuration file, with its path, to show before the run. */
  readonly notices: readonly string[];
  /** The same for the question of trust; null if there are none. */
  readonly granted: { readonly file: string; readonly statements: readonly string[] } | null;
}

/**
 * Precedence: flags, environment, file, workflow, defaults (docs/configuration.md, "Precedence").
 */
export function mergeSettings(sources: {
  readonly flags: PartialSettings;
  readonly environment: PartialSettings;
  readonly file: ConfigFile | null;
  /** The workflow's own settings (docs/authoring.md, "Workflow declaration"). */
  readonly workflow?: PartialSettings;
}): Merged {
  const ranked: readonly (readonly [SettingSource, PartialSettings])[] = [
    ["flag", withLevel(sources.flags)],
    ["environment", withLevel(sources.environment)],
    ["file", withLevel(sources.file?.settings ?? {})],
    ["workflow", sources.workflow ?? {}],
    ["default", DEFAULTS],
  ];

  const settings: Partial<Record<keyof Settings, unknown>> = {};
  const origins: Partial<Record<keyof Settings, SettingSource>> = {};
  for (const field of Object.keys(OPTIONS) as (keyof Settings)[]) {
    // null is a value (no limit, no model); only undefined means unset.
    const [origin, values] = ranked.find(([, said]) => said[field] !== undefined) ?? [
      "default",
      DEFAULTS,
    ];
    settings[field] = values[field];
    origins[field] = origin;
  }
  const agent = usualAgent(settings as Partial<Settings>);
  const given = ranked.toReversed().map(([, { clients }]) => clients ?? {});
  settings.clients = mergeClients(given, agent);
  const clientOrigins = Object.fromEntries(
    ranked.toReversed().flatMap(([origin, { clients = {} }]) => {
      return Object.keys(resolveClients(clients, agent)).map((name) => [name, origin] as const);
    }),
  );
  // A flag turns off the switch of another source.
  if (settings.skipPermissions === false && settings.permissions === "full") {
    settings.permissions = null;
  }
  // The level of the same source says so already.
  if (settings.skipPermissions === false && origins.skipPermissions === origins.permissions) {
    origins.skipPermissions = "default";
  }
  const merged = {
    settings: settings as unknown as Settings,
    origins: origins as Record<keyof Settings, SettingSource>,
    clientOrigins,
  };
  const { file } = sources;
  return {
    ...merged,
    ...(file === null ? { notices: [], granted: null } : fromFile(file, merged, agent)),
  };
}

/** The settings of a file that no other source overrides. Tables of clients merge, so some entries may count. */
function effective(
  file: ConfigFile,
  { settings, origins }: Pick<Merged, "settings" | "origins">,
  agent: string,
) {
  const clients = Object.entries(resolveClients(file.settings.clients ?? {}, agent));
  const kept = clients.filter(([name, client]) => settings.clients[name] === client);
  const fields = Object.entries(file.settings).filter(
    ([field]) => origins[field as keyof Settings] === "file",
  );
  return { ...Object.fromEntries(fields), clients: Object.fromEntries(kept) } as PartialSettings;
}

/**
 * Settings of a project that need trust, with the values that do not: these let a run spend, read, write, execute or ask
 * no more than the default does.
 */
const PERMISSIONS = {
  // Each agent enforces other limits.
  agents: (value) => isSame(value, [DEFAULT_AGENT]),
  budgetMicroUsd: (value) => value !== null && value <= (DEFAULTS.budgetMicroUsd ?? 0),
  allowUnpriced: never,
  onAsk: never,
  permissions: (value) => value !== "full",
  skipPermissions: never,
  allow: never,
  tools: (value) => isSame(value, []),
  allowedTools: never,
  onDenied: (value) => value === "fail",
  envPass: (value) => isSame(value, []),
  envSet: never,
  clients: never,
  container: never,
  notify: never,
  protectWorkflow: never,
  changedFiles: (value) => value === "refuse",
  workflowPath: never,
  // Later runs read what the model remembers.
  memory: never,
} as const satisfies { readonly [Field in keyof Settings]?: (value: Settings[Field]) => boolean };

function never(): boolean {
  return false;
}

function isSame(value: unknown, other: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(other);
}

/** A setting that affects permissions or executed programs, and is not the default. */
export interface ChangedDefault {
  readonly field: keyof typeof PERMISSIONS;
  readonly value: unknown;
  /** `KEY = VALUE`, as in the file. */
  readonly text: string;
}

export function changedDefaults(settings: PartialSettings): readonly ChangedDefault[] {
  return Object.entries(PERMISSIONS).flatMap(([name, isHarmless]): readonly ChangedDefault[] => {
    const field = name as keyof typeof PERMISSIONS;
    if (field === "clients") return changedClients(settings.clients ?? {});
    const value = settings[field];
    if (value === undefined || isSame(value, DEFAULTS[field])) return [];
    if ((isHarmless as (value: unknown) => boolean)(value)) return [];
    return [{ field, value, text: `${OPTIONS[field].key} = ${JSON.stringify(value)}` }];
  });
}

function changedClients(clients: Settings["clients"]): readonly ChangedDefault[] {
  return Object.entries(clients).map(([agent, client]) => ({
    field: "clients",
    value: { [agent]: client },
    text: `${OPTIONS.clients.key}.${agent} = ${JSON.stringify(client)}`,
  }));
}

/** Those that another source does not give in the same way. */
export function withoutGiven(
  changed: readonly ChangedDefault[],
  given: PartialSettings,
  agent: string,
): readonly ChangedDefault[] {
  const known = changedDefaults({ ...given, clients: resolveClients(given.clients ?? {}, agent) });
  return changed.filter(({ text }) => !known.some((each) => each.text === text));
}

function fromFile(
  file: ConfigFile,
  merged: Pick<Merged, "settings" | "origins">,
  agent: string,
): Pick<Merged, "notices" | "granted"> {
  const used = changedDefaults(effective(file, merged, agent));
  if (used.length === 0) return { notices: [], granted: null };
  const notices = used.map(({ field, text }) => {
    const place = settingPlace({ file: file.file, line: file.lines[field] ?? null });
    return `${text} comes from ${place}.`;
  });
  return { notices, granted: { file: file.file, statements: used.map(({ text }) => text) } };
}
