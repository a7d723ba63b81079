import type { RunSettings } from "../core/machine/run-state.ts";

/** What only the backend understands; each is an option like any other. */
interface Switches {
  /** Whether the client keeps memories between conversations. */
  readonly memory: boolean;
}

/** All that can be set, each by a name of its own. */
export type Settings = Omit<RunSettings, "switches"> & Switches;

/** Settings as a run keeps them: what only the backend understands is set apart. */
export function runSettings({ memory, ...settings }: Settings): RunSettings {
  return { ...settings, switches: { memory } };
}

/** What flags change in the settings of a run. */
export function changedSettings(
  { memory, ...given }: Partial<Settings>,
  { switches }: RunSettings,
): Partial<RunSettings> {
  return memory === undefined ? given : { ...given, switches: { ...switches, memory } };
}
