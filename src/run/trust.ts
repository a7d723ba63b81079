import { readEnvironment } from "../config/environment.ts";
import { changedDefaults, withoutGiven } from "../config/merge.ts";
import type { RunView } from "../inspect/run-view.ts";
import { usualAgent } from "../language/basics/default-agent.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import { UntrustedProjectError } from "../wire/errors.ts";
import { readSettings } from "../wire/settings.ts";
import { type Place, stateRoot } from "../wire/stores.ts";
import { type ProjectTrust, projectFiles } from "../wire/trust/client-project.ts";
import { isOwnStateFolder, isUnusedStateFolder, linkedTo } from "../wire/trust/state-folders.ts";
import { isTrustable, type TrustSubject, trust, untrustedIn } from "../wire/trust/trusted.ts";

export interface Trusting {
  /** Trust what the project brings, as it is now. */
  readonly trustProject?: boolean | undefined;
}

/** How a new or resumed run in this folder treats files that coding agents obey. */
export function projectTrust(folder: string, { trustProject }: Trusting): ProjectTrust {
  return { folder, trust: trustProject === true ? "given" : "required" };
}

/** Rejects with an {@link UntrustedProjectError}, unless the user trusts it (docs/trust.md, "Trusting a project"). */
export async function requireTrust(
  subject: TrustSubject,
  { trustProject }: Trusting,
  caller: Caller,
): Promise<void> {
  const untrusted = await untrustedIn(subject, caller);
  if (untrusted.length === 0) return;
  if (trustProject !== true || !isTrustable(subject))
    throw new UntrustedProjectError(subject, untrusted);
  await trust(subject, caller);
}

/** Settings of a configuration file. */
export function settingsSubject({
  file,
  statements,
}: {
  readonly file: string;
  readonly statements: readonly string[];
}): TrustSubject {
  return { kind: "settings", place: file, contents: new Map(statements.map((text) => [text, ""])) };
}

/**
 * The same for a saved run, whose state file names the programs to run. Returns notices about settings of a run that
 * raymond did not save for this user.
 */
export async function requireTrustedRun(
  { run, store, artifacts }: Pick<RunView, "run" | "store" | "artifacts">,
  given: Partial<RunSettings>,
  trusting: Trusting,
  caller: Caller,
): Promise<readonly string[]> {
  const { root: place } = artifacts;
  if (!store.inProject || (await isOwnStateFolder(place, caller.env))) return [];
  const kept = Object.entries(run.settings).filter(([field]) => !Object.hasOwn(given, field));
  const own = readEnvironment(caller.env);
  const saved = changedDefaults(Object.fromEntries(kept));
  const settings = withoutGiven(saved, own, usualAgent(run.settings)).map(({ text }) => text);
  const statements = [`run ${run.id} of ${run.scopeDir} in ${run.launchDir}`, ...settings];
  const contents = new Map(statements.map((text) => [text, ""]));
  await requireTrust({ kind: "runs", place, contents }, trusting, caller);
  return settings.map((text) => `${text} comes from the saved run ${run.id}.`);
}

/** The same for a state folder that is a link out of its project: raymond would write to the target. */
export async function requireTrustedPlace(
  root: string,
  trusting: Trusting,
  caller: Caller,
): Promise<void> {
  const target = await linkedTo(root);
  if (target === null || (await isOwnStateFolder(root, caller.env))) return;
  const contents = new Map([[`a link to ${target}`, ""]]);
  await requireTrust({ kind: "runs", place: root, contents }, trusting, caller);
}

/** Something of a project that is not trusted. */
export interface Untrusted {
  readonly subject: TrustSubject;
  readonly untrusted: readonly string[];
}

/** What a run in this folder would ask for: files of coding agents, settings of raymond, saved runs. */
export async function untrustedHere(place: Place, caller: Caller): Promise<readonly Untrusted[]> {
  const root = await stateRoot(place, caller);
  const { granted } = await readSettings({}, root, caller);
  const isOwn = (await isUnusedStateFolder(root)) || (await isOwnStateFolder(root, caller.env));
  const runs: TrustSubject = {
    kind: "runs",
    place: root,
    contents: new Map([["its saved runs", ""]]),
  };
  const subjects = [
    ...(granted === null ? [] : [settingsSubject(granted)]),
    ...(isOwn ? [] : [runs]),
  ];
  const others = subjects.map(async (subject) => {
    return { subject, untrusted: await untrustedIn(subject, caller) };
  });
  const all = await Promise.all([projectFiles(caller.cwd, caller), ...others]);
  return all.filter(({ untrusted }) => untrusted.length > 0);
}

/** Trusts all of it, as it is now. Rejects for a file that cannot be checked, and then trusts nothing. */
export async function trustHere(place: Place, caller: Caller): Promise<readonly Untrusted[]> {
  const found = await untrustedHere(place, caller);
  for (const { subject, untrusted } of found) {
    if (!isTrustable(subject)) throw new UntrustedProjectError(subject, untrusted);
  }
  for (const { subject } of found) await trust(subject, caller);
  return found;
}
