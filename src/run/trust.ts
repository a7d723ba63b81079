import path from "node:path";
import { readEnvironment } from "../config/environment.ts";
import { changedDefaults } from "../config/merge.ts";
import type { RunView } from "../inspect/run-view.ts";
import type { RunSettings } from "../machine/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import { isTracked } from "../wire/trust/git-tracked.ts";
import { isTrusted, type TrustSubject } from "../wire/trust/trusted.ts";
import { UntrustedProjectError } from "./errors.ts";

export interface Trusting {
  /** Trust files that came with the project. */
  readonly trustProject?: boolean | undefined;
}

/**
 * Rejects with an `UntrustedProjectError` for a file that git tracks, unless the user trusts its settings
 * (docs/security.md, "Trusting a project").
 */
export async function requireTrust(
  subject: TrustSubject,
  { trustProject }: Trusting,
  caller: Caller,
): Promise<void> {
  if (subject.statements.length === 0 || trustProject === true) return;
  if (!(await mustBeTrusted(subject, caller))) return;
  throw new UntrustedProjectError(subject);
}

/** Whether git tracks the file and the user has not trusted its settings. */
export async function mustBeTrusted(subject: TrustSubject, caller: Caller): Promise<boolean> {
  return !isTrusted(subject, caller) && (await isTracked(subject.file, caller));
}

/**
 * The same for the state file of a saved run. Returns notices about settings of the run that differ
 * from the defaults and that the user has not set.
 */
export async function requireTrustedRun(
  { run, store, artifacts }: Pick<RunView, "run" | "store" | "artifacts">,
  given: Partial<RunSettings>,
  trusting: Trusting,
  caller: Caller,
): Promise<readonly string[]> {
  if (!store.inProject) return [];
  const kept = Object.entries(run.settings).filter(([field]) => !Object.hasOwn(given, field));
  const own = readEnvironment(caller.env);
  const set = changedDefaults(Object.fromEntries(kept)).filter(
    ({ field, value }) => own[field] !== value,
  );
  const file = path.join(artifacts.root, "workflows", `${run.id}.json`);
  const settings = set.map(({ text }) => text);
  const statements = [`it runs ${run.scopeDir}`, `in ${run.launchDir}`, ...settings];
  await requireTrust({ file, statements }, trusting, caller);
  return settings.map((text) => `${text} comes from the saved run ${run.id}.`);
}
