import type { RunState } from "../../core/machine/run-state.ts";
import { runDocument } from "../wire/document.ts";

/** The settings of a run in the words of its state file, for a page that is handed on: of a command that may hold a secret only that there is one. */
export function shownSettings(run: RunState): Readonly<Record<string, unknown>> {
  const { settings } = runDocument(run);
  return { ...settings, notify: settings.notify === null ? null : "(a command)" };
}
