import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isBelow } from "../../files/paths.ts";
import type { Sandbox } from "../../language/workflow/policy/sandbox.ts";
import type { Step } from "../../machine/decide/step.ts";
import {
  HIDDEN_FOLDERS,
  type MaskedPath,
  SYSTEM_FOLDERS,
} from "../../process/sandbox/bubblewrap.ts";
import type { CallSandbox } from "../ports/backend.ts";

type Limits =
  | { readonly ok: true; readonly sandbox: CallSandbox }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

type Place = Pick<Step, "cwd" | "launchDir" | "worktree">;

/** What a step may change and reach: what both its state and the user's setting allow. */
export function limitsOf(step: Place, own: Sandbox | null, users: Sandbox | null): Limits {
  const hidden = hiddenCwd(step, users);
  if (hidden !== null) return hidden;
  const writable = writablePaths(step, own, users);
  if (!writable.ok) return writable;
  const network = own?.network !== false && users?.network !== false;
  return { ok: true, sandbox: { writable: writable.paths, network } };
}

type Writable =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

/**
 * Why a step cannot work in its folder; null if it can. The folder would be mounted over the hidden one that contains
 * it. So it must be inside a folder that the user chose, by its path without links: a step can exchange links.
 */
function hiddenCwd({ cwd, launchDir, worktree }: Place, users: Sandbox | null) {
  const real = realPath(cwd) ?? cwd;
  const chosen = [
    launchDir,
    ...(worktree === undefined ? [] : [worktree]),
    ...(users?.write ?? []),
  ];
  for (const folder of existing([...HIDDEN_FOLDERS, ...SYSTEM_FOLDERS])) {
    const isInside = isBelow(folder, real) && real !== folder;
    const isChosen = chosen.some((each) => isBelow(folder, each) && isBelow(each, real));
    if (isBelow(real, folder) || (isInside && !isChosen)) {
      return {
        ok: false,
        problem: `a sandbox hides ${folder}, so the step cannot work in ${real}.`,
        hint: isInside
          ? `Work in another folder, start raymond in that one, or add it to your setting sandbox: write:${real}`
          : "Work in another folder.",
      } as const;
    }
  }
  return null;
}

/** The paths of the state, as far as the user's setting allows them. */
function writablePaths(step: Place, own: Sandbox | null, users: Sandbox | null): Writable {
  const ofState: string[] = [];
  for (const path of own?.write ?? []) {
    const full = resolve(step.cwd, path);
    const real = realPath(full);
    if (real === null) return missing(path, full);
    // A link in a repository must not lead out of it.
    if (!isAbsolute(path) && !isBelow(realPath(step.cwd) ?? step.cwd, real)) {
      return leadsOut(path, real, `the working folder ${step.cwd}`);
    }
    ofState.push(real);
  }
  const ofUser: string[] = [];
  const { launchDir, worktree } = step;
  const named = users?.write ?? [];
  // The same: the user named a folder of these, not the target of a link in it, which a step can exchange.
  const around = [
    [launchDir, `the launch folder ${launchDir}`],
    ...(worktree === undefined ? [] : [[worktree, `the worktree ${worktree}`]]),
    ...named.map((each) => [each, each]),
  ] as const;
  for (const path of named) {
    const real = realPath(path);
    if (real === null) return missing(path, path);
    for (const [folder = "", name = ""] of around) {
      if (folder === path || !isBelow(folder, path)) continue;
      if (!isBelow(realPath(folder) ?? folder, real)) return leadsOut(path, real, name);
    }
    ofUser.push(real);
  }
  const covered = [...ofState, ...ofUser].find((path) => hiddenFolders().includes(path));
  if (covered !== undefined) {
    return {
      ok: false,
      problem: `sandbox.write names ${covered}, which a sandbox hides.`,
      hint: "Name a folder inside it.",
    };
  }
  if (users === null) return { ok: true, paths: ofState };
  if (own === null) return { ok: true, paths: ofUser };
  const both = ofState.flatMap((path) =>
    ofUser.flatMap((allowed) => {
      if (isBelow(allowed, path)) return [path];
      return isBelow(path, allowed) ? [allowed] : [];
    }),
  );
  return { ok: true, paths: [...new Set(both)] };
}

function leadsOut(path: string, real: string, folder: string): Writable {
  return {
    ok: false,
    problem: `sandbox.write names ${path}, which leads to ${real}, outside of ${folder}.`,
    hint: `If the step may change it, name it by this path: ${real}`,
  };
}

function missing(path: string, full: string): Writable {
  return {
    ok: false,
    problem: `sandbox.write names ${path}, but ${full} does not exist.`,
    hint: "Create it, or name the folder that contains it.",
  };
}

/** Files of writable repositories that name programs, which git executes. */
export function gitPrograms(writable: readonly string[]): readonly string[] {
  return writable.flatMap((folder) => {
    const git = join(folder, ".git");
    // A file names the folder of a worktree or of a submodule.
    if (entryAt(git)?.isDirectory() !== true) return [git];
    return ["hooks", "config", "config.worktree", "commondir"].map((name) => join(git, name));
  });
}

/** Those that do not exist, in existing repositories. Git accepts an empty file or folder in their place. */
export function missingGitPrograms(writable: readonly string[]): readonly MaskedPath[] {
  return writable.flatMap((folder) => {
    const git = join(folder, ".git");
    if (entryAt(git)?.isDirectory() !== true || entryAt(join(git, "HEAD")) === null) return [];
    return ["hooks", "config", "config.worktree"]
      .filter((name) => entryAt(join(git, name)) === null)
      .map((name) => ({ path: join(git, name), isFolder: name === "hooks" }));
  });
}

/**
 * The first link on the way to a protected path that a process could exchange, because its folder is writable; null:
 * there is none. A link cannot be a mount point.
 */
export function exchangeableLink(
  place: string,
  writable: readonly string[],
  kept: readonly string[],
): string | null {
  const parent = dirname(place);
  if (parent === place) return null;
  const above = exchangeableLink(parent, writable, kept);
  if (above !== null || entryAt(place)?.isSymbolicLink() !== true) return above;
  const folder = realPath(parent) ?? parent;
  const isIn = (folders: readonly string[]) => folders.some((each) => isBelow(each, folder));
  if (isIn(writable) && !isIn(kept)) return place;
  // The target can go through further links. Links in a circle have none.
  if (realPath(place) === null) return null;
  return exchangeableLink(resolve(folder, readlinkSync(place)), writable, kept);
}

/** The existing folders that a sandbox hides. */
export function hiddenFolders(): readonly string[] {
  return existing(HIDDEN_FOLDERS);
}

export function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(realPath).filter((path) => path !== null))];
}

function entryAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

export function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
