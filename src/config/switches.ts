import { usualAgent } from "../language/basics/default-agent.ts";
import type { Level } from "../language/permissions/permission.ts";
import { FALLBACK_AFTER_MS } from "../machine/backends/choose-backend.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { mergeClients } from "./client-setting.ts";
import { configErrors } from "./errors.ts";

/** Settings that only the backend uses. */
interface Switches {
  /** Whether the client keeps memories between conversations. */
  readonly memory: boolean;
  /** Whether the client ignores the settings of the project: hooks, MCP servers, permissions. */
  readonly ignoreProjectSettings: boolean;
}

/** Settings that a run stores only if they are not the default. */
interface Sparse {
  readonly agents: readonly string[] | null;
  readonly fallbackAfterMs: number;
  readonly allowUnpriced: boolean;
}

/** The name of the switch in a run. A run without it does not ignore them. */
export const IGNORE_PROJECT_SETTINGS = "ignore_project_settings";

export type Settings = Omit<RunSettings, "switches" | keyof Sparse> & Switches & Sparse;

/** The settings as stored in a run: those of the backend are grouped. */
export function runSettings(all: Settings): RunSettings {
  const { memory, ignoreProjectSettings, agents, fallbackAfterMs, allowUnpriced, ...settings } =
    all;
  const ignores = ignoreProjectSettings ? { [IGNORE_PROJECT_SETTINGS]: true } : {};
  return {
    ...{ ...settings, ...storedLevel(settings) },
    agents: agents ?? undefined,
    fallbackAfterMs: fallbackAfterMs === FALLBACK_AFTER_MS ? undefined : fallbackAfterMs,
    allowUnpriced: allowUnpriced ? true : undefined,
    switches: { memory, ...ignores },
  };
}

/** A run stores the level `full` only as `skipPermissions`. */
function storedLevel({ permissions }: Partial<Settings>): Partial<RunSettings> {
  return permissions === "full" ? { permissions: null, skipPermissions: true } : {};
}

export function changedSettings(
  changes: Partial<Settings>,
  run: RunSettings,
): Partial<RunSettings> {
  const { memory, ignoreProjectSettings, ...levelled } = withLevel(changes);
  const { clients } = levelled;
  const given = {
    ...levelled,
    ...storedLevel(levelled),
    ...(clients && { clients: mergeClients([run.clients, clients], usualAgent(run)) }),
  };
  const changed = {
    ...(memory !== undefined && { memory }),
    ...(ignoreProjectSettings !== undefined && {
      [IGNORE_PROJECT_SETTINGS]: ignoreProjectSettings,
    }),
  };
  if (Object.keys(changed).length === 0) return given;
  return { ...given, switches: { ...run.switches, ...changed } };
}

/** The inverse of {@link runSettings}. A run of an earlier raymond may lack a switch. */
export function flatSettings({ switches, ...settings }: RunSettings): Partial<Settings> {
  const { memory, [IGNORE_PROJECT_SETTINGS]: ignoreProjectSettings } = switches;
  const { agents, fallbackAfterMs, allowUnpriced, ...others } = settings;
  return {
    ...others,
    ...(agents !== undefined && { agents }),
    ...(fallbackAfterMs !== undefined && { fallbackAfterMs }),
    ...(allowUnpriced !== undefined && { allowUnpriced }),
    ...(memory !== undefined && { memory }),
    ...(ignoreProjectSettings !== undefined && { ignoreProjectSettings }),
  };
}

interface LevelSettings {
  readonly permissions?: Level | null | undefined;
  readonly skipPermissions?: boolean | undefined;
}

/**
 * The settings of one source with both notations of the level: `permissions = "full"` and
 * `dangerously_skip_permissions = true` are the same. Throws `config/two-levels` if they contradict.
 */
export function withLevel<Given extends LevelSettings>(given: Given): Given {
  const { permissions, skipPermissions } = given;
  if (permissions === undefined) {
    return skipPermissions === true ? { ...given, permissions: "full" } : given;
  }
  const skips = permissions === "full" || (permissions === null && skipPermissions === true);
  if (skipPermissions !== undefined && skipPermissions !== skips) {
    throw configErrors["config/two-levels"](permissions ?? "default", skipPermissions);
  }
  return { ...given, skipPermissions: skips };
}
