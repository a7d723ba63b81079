import type { RunSettings } from "../machine/run-state.ts";
import { withLevel } from "./level.ts";

/** Settings that only the backend uses. */
interface Switches {
  /** Whether the client keeps memories between conversations. */
  readonly memory: boolean;
}

export type Settings = Omit<RunSettings, "switches"> & Switches;

/** The settings as stored in a run: those of the backend are grouped. */
export function runSettings({ memory, ...settings }: Settings): RunSettings {
  return { ...settings, ...storedLevel(settings), switches: { memory } };
}

/** A run stores the level `full` only as `skipPermissions`. */
function storedLevel({ permissions }: Partial<Settings>): Partial<RunSettings> {
  return permissions === "full" ? { permissions: null, skipPermissions: true } : {};
}

/** The changes of a run's settings by flags. */
export function changedSettings(
  changes: Partial<Settings>,
  { switches }: RunSettings,
): Partial<RunSettings> {
  const { memory, ...levelled } = withLevel(changes) as Partial<Settings>;
  const given = { ...levelled, ...storedLevel(levelled) };
  return memory === undefined ? given : { ...given, switches: { ...switches, memory } };
}

/** The inverse of {@link runSettings}. A run of an earlier raymond may lack a switch. */
export function flatSettings({ switches, ...settings }: RunSettings): Partial<Settings> {
  const { memory } = switches;
  return memory === undefined ? settings : { ...settings, memory };
}
