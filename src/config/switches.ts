import type { RunSettings } from "../machine/run-state.ts";

/** Settings that only the backend uses. */
interface Switches {
  /** Whether the client keeps memories between conversations. */
  readonly memory: boolean;
}

export type Settings = Omit<RunSettings, "switches"> & Switches;

/** The settings as stored in a run: those of the backend are grouped. */
export function runSettings({ memory, ...settings }: Settings): RunSettings {
  return { ...settings, switches: { memory } };
}

/** The changes of a run's settings by flags. */
export function changedSettings(
  { memory, ...given }: Partial<Settings>,
  { switches }: RunSettings,
): Partial<RunSettings> {
  return memory === undefined ? given : { ...given, switches: { ...switches, memory } };
}

/** The inverse of {@link runSettings}. A run of an earlier raymond may lack a switch. */
export function flatSettings({ switches, ...settings }: RunSettings): Partial<Settings> {
  const { memory } = switches;
  return memory === undefined ? settings : { ...settings, memory };
}
