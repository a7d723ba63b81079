import path from "node:path";
import { readEnvironment } from "../config/environment.ts";
import { changedDefaults } from "../config/merge.ts";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import type { RunSettings, RunState } from "../machine/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import { isTracked } from "../wire/trust/git-tracked.ts";
import { isTrusted, type TrustSubject } from "../wire/trust/trusted.ts";
import { UntrustedProjectError } from "./errors.ts";

/** How a use case treats files that came with the project. */
export interface Trusting {
  /** Use what they set without asking. */
  readonly trustProject?: boolean | undefined;
}

/**
 * Rejects with an `UntrustedProjectError` for a file that git tracks, unless the user trusts what it says
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
 * The same for the state file of a saved run. Resolves with what the run sets beyond the defaults, for the user to read
 * before it is used; what the user sets anyway is left out.
 */
export async function requireTrustedRun(
  run: RunState,
  given: Partial<RunSettings>,
  { root }: Artifacts,
  trusting: Trusting,
  caller: Caller,
): Promise<readonly string[]> {
  // The database of a fleet is no part of a project.
  if (caller.fleet !== undefined) return [];
  const kept = Object.entries(run.settings).filter(([field]) => !Object.hasOwn(given, field));
  const own = readEnvironment(caller.env);
  const set = changedDefaults(Object.fromEntries(kept)).filter(
    ({ field, value }) => own[field] !== value,
  );
  const file = path.join(root, "workflows", `${run.id}.json`);
  const settings = set.map(({ text }) => text);
  const statements = [`it runs ${run.scopeDir}`, `in ${run.launchDir}`, ...settings];
  await requireTrust({ file, statements: [...statements] }, trusting, caller);
  return settings.map((text) => `${text} comes from the saved run ${run.id}.`);
}
