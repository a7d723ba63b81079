import path from "node:path";
import { readEnvironment } from "../config/environment.ts";
import { changedDefaults, withoutGiven } from "../config/merge.ts";
import type { RunView } from "../inspect/run-view.ts";
import { usualAgent } from "../language/basics/default-agent.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import { UntrustedProjectError } from "../wire/errors.ts";
import { projectOf } from "../wire/settings.ts";
import type { ProjectTrust } from "../wire/trust/client-project.ts";
import { isTracked } from "../wire/trust/git-tracked.ts";
import { isTrusted, namedFiles, type TrustSubject } from "../wire/trust/trusted.ts";

export interface Trusting {
  /** Trust files that came with the project. */
  readonly trustProject?: boolean | undefined;
}

/** A file of raymond, and the settings that it would decide. */
interface TrustedFile extends Pick<TrustSubject, "file" | "statements"> {
  /** Its state folder. */
  readonly root: string;
}

/** How a new or resumed run in this folder treats settings that the project brings for the client. */
export function projectTrust(folder: string, { trustProject }: Trusting): ProjectTrust {
  return { folder, trust: trustProject === true ? "given" : "required" };
}

/**
 * Rejects with an `UntrustedProjectError` for a file that git tracks, unless the user trusts its settings
 * (docs/trust.md, "Trusting a project").
 */
export async function requireTrust(
  file: TrustedFile,
  { trustProject }: Trusting,
  caller: Caller,
): Promise<void> {
  if (file.statements.length === 0 || trustProject === true) return;
  const subject = await untrusted(file, caller);
  if (subject !== null) throw new UntrustedProjectError(subject);
}

/** Null if git does not track the file, or the user has trusted its settings. */
export async function untrusted(
  { file, statements, root }: TrustedFile,
  caller: Caller,
): Promise<TrustSubject | null> {
  // The scripts of the project that `notify` or `claude` names.
  const contents = await namedFiles(statements, projectOf(root));
  const subject = { file, by: "raymond", statements, contents } as const;
  const isPending = !isTrusted(subject, caller) && (await isTracked(file, caller));
  return isPending ? subject : null;
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
  const saved = changedDefaults(Object.fromEntries(kept));
  const set = withoutGiven(saved, own, usualAgent(run.settings));
  const file = path.join(artifacts.root, "workflows", `${run.id}.json`);
  const settings = set.map(({ text }) => text);
  const statements = [`it runs ${run.scopeDir}`, `in ${run.launchDir}`, ...settings];
  await requireTrust({ file, statements, root: artifacts.root }, trusting, caller);
  return settings.map((text) => `${text} comes from the saved run ${run.id}.`);
}
