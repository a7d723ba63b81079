import { realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isBelow } from "../../files/paths.ts";
import type { Sandbox } from "../../language/workflow/policy/sandbox.ts";
import type { Step } from "../../machine/decide/step.ts";
import type { CallSandbox } from "../ports/backend.ts";

type Limits =
  | { readonly ok: true; readonly sandbox: CallSandbox }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

/** What a step may change and reach: what both its state and the user's setting allow. */
export function limitsOf(
  step: Pick<Step, "cwd" | "launchDir" | "worktree">,
  own: Sandbox | null,
  users: Sandbox | null,
): Limits {
  const writable = writablePaths(step, own, users);
  if (!writable.ok) return writable;
  const network = own?.network !== false && users?.network !== false;
  return { ok: true, sandbox: { writable: writable.paths, network } };
}

type Writable =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

/** The paths of the state, as far as the user's setting allows them. */
function writablePaths(
  step: Pick<Step, "cwd" | "launchDir" | "worktree">,
  own: Sandbox | null,
  users: Sandbox | null,
): Writable {
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
  for (const path of users?.write ?? []) {
    const real = realPath(path);
    if (real === null) return missing(path, path);
    // The same: the user named a folder of the repository, not the target of a link in it.
    if (isBelow(launchDir, path) && !isBelow(realPath(launchDir) ?? launchDir, real)) {
      return leadsOut(path, real, `the launch folder ${launchDir}`);
    }
    if (worktree !== undefined && isBelow(worktree, path)) {
      if (!isBelow(realPath(worktree) ?? worktree, real))
        return leadsOut(path, real, `the worktree ${worktree}`);
    }
    ofUser.push(real);
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

/** Files below writable repositories whose content git executes. */
export function gitPrograms(writable: readonly string[]): readonly string[] {
  return writable.flatMap((folder) => [
    join(folder, ".git", "hooks"),
    join(folder, ".git", "config"),
  ]);
}

export function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(realPath).filter((path) => path !== null))];
}

export function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
