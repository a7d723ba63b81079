import type { RunState } from "../../machine/run-state.ts";
import { runDocument } from "../document.ts";

/**
 * The settings of a run as in its state file, for a page that may be published: of a command that
 * may contain a secret only its existence.
 */
export function shownSettings(run: RunState): Readonly<Record<string, unknown>> {
  const { settings } = runDocument(run);
  return { ...settings, notify: settings.notify === null ? null : "(a command)" };
}
