import path from "node:path";
import type { CodingAgent } from "../../clients/common/coding-agent.ts";
import type { ProjectAccess } from "../../clients/common/project-settings.ts";
import { IGNORE_PROJECT_SETTINGS } from "../../config/switches.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import { clientPlace } from "../agents/client-place.ts";
import type { Caller } from "../caller.ts";
import { UntrustedProjectError } from "../errors.ts";
import { isTrusted, namedFiles, type TrustSubject, trustKey, userStateFolder } from "./trusted.ts";

/** How a run treats settings of the project that make the client execute or permit something. */
export interface ProjectTrust {
  /** The launch folder. */
  readonly folder: string;
  /**
   * `required`: the user must have trusted them. `given`: they are trusted for this process, as they are now.
   * `optional`: prompts run without them if they are not trusted.
   */
  readonly trust: "required" | "given" | "optional";
}

/** Whether the user has decided that prompts run without the settings of the project. */
export function ignoresProject({ switches }: Pick<RunSettings, "switches">): boolean {
  return switches[IGNORE_PROJECT_SETTINGS] === true;
}

/**
 * Returns the keys that are trusted for this process only. Rejects with an {@link UntrustedProjectError}
 * (docs/trust.md, "Trusting a project").
 */
export async function requireTrustedSettings(
  agent: CodingAgent,
  { folder, trust }: ProjectTrust,
  settings: Pick<RunSettings, "switches">,
  caller: Pick<Caller, "env">,
): Promise<readonly string[]> {
  if (trust === "optional" || ignoresProject(settings)) return [];
  const subject = await clientSettings(agent, folder, caller);
  if (subject === null) return [];
  if (trust === "given") return [trustKey(subject)];
  if (isTrusted(subject, caller)) return [];
  throw new UntrustedProjectError(subject);
}

/**
 * Keys that make a copy of a project trusted for this process, if its settings are those that the user trusts in the
 * original. `trusted`: keys that are trusted for this process.
 */
export async function trustOfCopy(
  agent: CodingAgent,
  { original, copy }: { readonly original: string; readonly copy: string },
  trusted: readonly string[],
  caller: Pick<Caller, "env">,
): Promise<readonly string[]> {
  const [known, subject] = await Promise.all([
    clientSettings(agent, original, caller),
    clientSettings(agent, copy, caller),
  ]);
  if (known === null || subject === null) return [];
  const same = { ...subject, file: known.file };
  const isKnown = trusted.includes(trustKey(same)) || isTrusted(same, caller);
  return isKnown ? [trustKey(subject)] : [];
}

/** The settings that a project brings for the client, and whether prompts use them. */
export interface ProjectSettings {
  /** `none`: they execute and permit nothing. */
  readonly state: "none" | "ignored" | "trusted" | "untrusted";
  readonly subject: TrustSubject | null;
}

export async function projectSettings(
  agent: CodingAgent,
  folder: string,
  settings: Pick<RunSettings, "switches">,
  caller: Pick<Caller, "env">,
): Promise<ProjectSettings> {
  const subject = await clientSettings(agent, folder, caller);
  if (subject === null) return { state: "none", subject };
  if (ignoresProject(settings)) return { state: "ignored", subject };
  return { state: isTrusted(subject, caller) ? "trusted" : "untrusted", subject };
}

/**
 * Decides before each call of the client whether it may load the settings of its working folder: a step may enter
 * another project, and a step may have changed them. `trusted`: keys that are trusted for this process. `original`: the
 * folder whose settings are also trusted in worktrees, while they are the same.
 */
export function projectAccess(
  agent: CodingAgent,
  settings: Pick<RunSettings, "switches">,
  trusted: readonly string[],
  caller: Pick<Caller, "env">,
  original: string,
): (cwd: string) => Promise<ProjectAccess> {
  const worktrees = path.join(userStateFolder(caller.env), "worktrees", path.sep);
  const warned = new Set<string>();
  return async (cwd) => {
    if (ignoresProject(settings)) return { kind: "ignore", warning: null };
    const subject = await clientSettings(agent, cwd, caller);
    if (subject === null) return { kind: "load" };
    const key = trustKey(subject);
    if (trusted.includes(key) || isTrusted(subject, caller)) return { kind: "load" };
    if (cwd.startsWith(worktrees)) {
      const copied = await trustOfCopy(agent, { original, copy: cwd }, trusted, caller);
      if (copied.includes(key)) return { kind: "load" };
    }
    const isNew = !warned.has(key);
    warned.add(key);
    return { kind: "ignore", warning: isNew ? warningOf(subject) : null };
  };
}

function warningOf({ file, by, statements }: TrustSubject): string {
  const more = statements.length > SHOWN ? `; and ${String(statements.length - SHOWN)} more` : "";
  return `${by} runs without the settings of ${file}, which are not trusted: ${statements.slice(0, SHOWN).join("; ")}${more}. To trust them, run raymond there.`;
}

const SHOWN = 3;

/** The settings of a folder; null if they execute and permit nothing. */
async function clientSettings(
  { name: by, project }: CodingAgent,
  cwd: string,
  { env }: Pick<Caller, "env">,
): Promise<TrustSubject | null> {
  const { folder, executing } = await project.read(cwd, clientPlace(env));
  if (executing.length === 0) return null;
  const statements = executing.flatMap(({ name, statements: found }) =>
    found.map((statement) => `${name}: ${statement}`),
  );
  const hashes = executing.map(({ name, sha256 }) => [name, sha256] as const);
  const contents = [...hashes, ...(await namedFiles(statements, folder))];
  return { file: folder, by, statements, contents };
}
