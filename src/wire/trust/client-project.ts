import { realpath } from "node:fs/promises";
import path from "node:path";
import type { ProjectAccess } from "../../clients/common/project-access.ts";
import { IGNORE_PROJECT_SETTINGS } from "../../config/switches.ts";
import { gitEntryAbove } from "../../files/git-entry.ts";
import { isBelow } from "../../files/paths.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import type { Caller } from "../caller.ts";
import { shortList, UntrustedProjectError } from "../errors.ts";
import { clientFiles, parentsOf } from "./client-files.ts";
import {
  type Contents,
  isTrustable,
  type TrustSubject,
  trust,
  trustedContents,
  untrustedIn,
} from "./trusted.ts";
import { userStateFolder } from "./user-state-folder.ts";

/** How a run treats files of the project that coding agents obey. */
export interface ProjectTrust {
  readonly folder: string;
  /** Of a worktree: the folder of its checkout. */
  readonly origin?: string;
  /**
   * `required`: the user must have trusted them. `given`: the user trusts them now. `optional`: prompts run without them
   * if they are not trusted.
   */
  readonly trust: "required" | "given" | "optional";
}

/** Whether the user has decided that prompts run without the settings of the project. */
export function ignoresProject({ switches }: Pick<RunSettings, "switches">): boolean {
  return switches[IGNORE_PROJECT_SETTINGS] === true;
}

/** Rejects with an {@link UntrustedProjectError} (docs/trust.md, "Trusting a project"). */
export async function requireTrustedFiles(
  { folder, trust: how, origin }: ProjectTrust,
  settings: Pick<RunSettings, "switches">,
  caller: Pick<Caller, "env">,
): Promise<void> {
  if (how === "optional" || ignoresProject(settings)) return;
  const { subject, untrusted } = await projectFiles(folder, caller, origin);
  if (untrusted.length === 0 || isUnsearched(subject)) return;
  if (how === "required" || !isTrustable(subject))
    throw new UntrustedProjectError(subject, untrusted);
  await trust(subject, caller);
}

export interface ProjectFiles {
  readonly subject: TrustSubject;
  /** What is not trusted, for people. */
  readonly untrusted: readonly string[];
}

/**
 * A yes to a folder covers its subfolders, while it is unchanged. `origin`: a folder whose files are also trusted in
 * worktrees of raymond, while they are the same.
 */
export async function projectFiles(
  cwd: string,
  caller: Pick<Caller, "env">,
  origin: string = cwd,
): Promise<ProjectFiles> {
  const subject = await filesOf(cwd, caller);
  if (subject.contents.size === 0) return { subject, untrusted: [] };
  const untrusted = await untrustedIn(subject, caller);
  if (untrusted.length === 0) return { subject, untrusted };
  for (const parent of parentsOf(subject.place)) {
    if ((await trustedContents({ kind: "files", place: parent }, caller)) === null) continue;
    const above = await untrustedIn(await filesOf(parent, caller), caller);
    if (above.length === 0) return { subject, untrusted: [] };
  }
  const worktrees = path.join(userStateFolder(caller.env), "worktrees");
  const isCopy = isBelow(worktrees, cwd) && (await isTrustedCopy(subject, origin, caller));
  return { subject, untrusted: isCopy ? [] : untrusted };
}

async function filesOf(cwd: string, caller: Pick<Caller, "env">): Promise<TrustSubject> {
  const place = await realpath(cwd).catch(() => cwd);
  return { kind: "files", place, contents: await clientFiles(place, caller) };
}

/** The folder is too large to search, and nothing was found. Prompts run without what could be there. */
export function isUnsearched({ place, contents }: TrustSubject): boolean {
  return contents.size === 1 && contents.get(place) === null;
}

/**
 * Decides before each call of a client whether it may load the settings of its working folder: a step may enter another
 * project, and a step may have changed them.
 */
export function projectAccess(
  agent: string,
  settings: Pick<RunSettings, "switches">,
  origin: string,
  caller: Pick<Caller, "env">,
): (cwd: string) => Promise<ProjectAccess> {
  const warned = new Set<string>();
  return async (cwd) => {
    const { subject, untrusted } = await projectFiles(cwd, caller, origin);
    const files = [...subject.contents.keys()];
    if (ignoresProject(settings)) return { kind: "ignore", files, warning: null };
    if (untrusted.length === 0) return { kind: "load" };
    const warning = warningOf(agent, subject, untrusted);
    const isNew = !warned.has(warning);
    warned.add(warning);
    return { kind: "ignore", files, warning: isNew ? warning : null };
  };
}

/** A worktree may lack files that git ignores, and is in the repository of its checkout. */
async function isTrustedCopy(
  { place, contents }: TrustSubject,
  origin: string,
  caller: Pick<Caller, "env">,
): Promise<boolean> {
  const trusted = await contentsAbove(await realpath(origin).catch(() => origin), caller);
  const [from, to] = [gitTop(place), gitTop(origin)];
  return [...contents].every(([file, content]) => {
    const original = isBelow(from, file) ? path.resolve(to, path.relative(from, file)) : file;
    return content !== null && trusted.get(original) === content;
  });
}

/** What the user has trusted in a folder, or in the nearest one above it. */
async function contentsAbove(folder: string, caller: Pick<Caller, "env">): Promise<Contents> {
  for (const place of [folder, ...parentsOf(folder)]) {
    const trusted = await trustedContents({ kind: "files", place }, caller);
    if (trusted !== null) return trusted;
  }
  return new Map();
}

function gitTop(folder: string): string {
  const entry = gitEntryAbove(folder);
  return entry === null ? folder : path.dirname(entry);
}

function warningOf(agent: string, subject: TrustSubject, untrusted: readonly string[]): string {
  const { place } = subject;
  if (isUnsearched(subject)) {
    return `${agent} runs without the settings of ${place}, which has too many folders to search all of them.`;
  }
  return `${agent} runs without the settings of ${place}, which are not trusted: ${shortList(untrusted)}. To trust them, run there: raymond trust`;
}
