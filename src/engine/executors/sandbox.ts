import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Sandbox } from "../../language/workflow/policy/sandbox.ts";
import type { BackendFacts } from "../../machine/step/backend-facts.ts";
import { type Failure, failure } from "../../machine/step/failure.ts";
import type { Step } from "../../machine/step/step.ts";
import { findProgram } from "../../process/find-program.ts";
import { bubblewrapArgs, HIDDEN_FOLDERS } from "../../process/sandbox/bubblewrap.ts";
import type { CallSandbox } from "../ports/backend.ts";
import type { Environment } from "./environment.ts";
import type { ScriptCommand } from "./script-command.ts";

/** A command to start, or why it cannot be started in its sandbox. */
export type Sandboxed =
  | { readonly ok: true; readonly command: ScriptCommand }
  | { readonly ok: false; readonly failure: Failure };

/** The part of a step that determines its sandbox. */
export interface SandboxedStep extends Pick<Step, "source" | "cwd"> {
  readonly file: Pick<Step["file"], "kind" | "sandbox">;
  readonly settings: Pick<Step["settings"], "sandbox">;
}

export interface SandboxedBackend extends Pick<BackendFacts, "name"> {
  readonly can: Pick<BackendFacts["can"], "sandbox">;
}

/** Where a step runs: for tests of other systems. */
export interface SandboxHost {
  readonly platform: NodeJS.Platform;
}

/**
 * Wraps the command of a script in the sandbox of its step (docs/sandbox.md, "Sandbox"). Without
 * one, returns the command. Never starts a command outside of its sandbox: what the system cannot
 * do is a failure.
 */
export function sandboxed(
  step: Step,
  command: ScriptCommand,
  env: Environment,
  { platform }: SandboxHost = process,
): Sandboxed {
  if (!hasSandbox(step)) return { ok: true, command };
  const fails = (why: string, hint: string): Sandboxed => refused(step, why, hint);
  if (platform !== "linux") {
    return fails(
      `sandbox works only on Linux, where bubblewrap provides it.`,
      "Remove sandbox from the settings and from the state, or run the workflow in a container.",
    );
  }
  const program = findProgram("bwrap", env["PATH"]);
  if (program === null) {
    return fails(
      "its sandbox needs bubblewrap, and there is no bwrap on PATH.",
      "Install it (Debian, Ubuntu: apt install bubblewrap), or remove sandbox from the settings and from the state.",
    );
  }
  const limits = limitsOf(step);
  if (!limits.ok) return fails(limits.problem, limits.hint);
  const { writable, network } = limits.sandbox;
  const hidden = HIDDEN_FOLDERS.map(realPath).filter((folder) => folder !== null);
  const payload = env["RAYMOND_RESULT_FILE"];
  const needed = [step.scopeDir, ...(payload === undefined ? [] : [dirname(payload)]), RESOLVER];
  const args = bubblewrapArgs(
    {
      cwd: realPath(step.cwd) ?? step.cwd,
      hidden: [...new Set(hidden)],
      readable: existing(needed),
      writable,
      protected: existing([...step.deniedPaths, ...gitPrograms(writable)]),
    },
    network,
  );
  return {
    ok: true,
    command: { ...command, command: program, args: [...args, command.command, ...command.args] },
  };
}

/**
 * The sandbox of a call to a coding agent; null for none. The agents let commands change their
 * working folder in any case, so a sandbox without it is refused.
 */
export function callSandbox(
  step: SandboxedStep,
  { name, can }: SandboxedBackend,
):
  | { readonly ok: true; readonly sandbox: CallSandbox | null }
  | { readonly ok: false; readonly failure: Failure } {
  if (!hasSandbox(step)) return { ok: true, sandbox: null };
  if (!can.sandbox) {
    return refused(
      step,
      `the backend "${name}" has no sandbox.`,
      "Remove sandbox from the settings and from the state, or use another backend.",
    );
  }
  const limits = limitsOf(step);
  if (!limits.ok) return refused(step, limits.problem, limits.hint);
  const cwd = realPath(step.cwd) ?? step.cwd;
  if (!limits.sandbox.writable.some((path) => isWithin(path, cwd))) {
    return refused(
      step,
      `its sandbox excludes the working folder ${step.cwd}, and the agent's commands can always change that.`,
      "Add the working folder to sandbox.write, or start the step in a folder that it may change (cd).",
    );
  }
  return { ok: true, sandbox: limits.sandbox };
}

function refused({ source, file }: SandboxedStep, why: string, hint: string) {
  const message = `${source}: the ${file.kind} was not started: ${why}`;
  return { ok: false, failure: failure("deterministic", message, hint) } as const;
}

function hasSandbox({ file, settings }: SandboxedStep): boolean {
  return file.sandbox !== null || settings.sandbox !== null;
}

type Limits =
  | { readonly ok: true; readonly sandbox: CallSandbox }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

function limitsOf(step: SandboxedStep): Limits {
  const own = step.file.sandbox;
  const users = step.settings.sandbox;
  const writable = writablePaths(step, own, users);
  if (!writable.ok) return writable;
  const network = own?.network !== false && users?.network !== false;
  return { ok: true, sandbox: { writable: writable.paths, network } };
}

type Writable =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

/** The paths of the state, as far as the user's setting allows them. */
function writablePaths(step: SandboxedStep, own: Sandbox | null, users: Sandbox | null): Writable {
  const ofState: string[] = [];
  for (const path of own?.write ?? []) {
    const full = resolve(step.cwd, path);
    const real = realPath(full);
    if (real === null) return missing(path, full);
    // A link in a repository must not lead out of it.
    if (!isAbsolute(path) && !isWithin(realPath(step.cwd) ?? step.cwd, real)) {
      return {
        ok: false,
        problem: `sandbox.write names ${path}, which leads to ${real}, outside of the working folder ${step.cwd}.`,
        hint: "Name the folder by its absolute path.",
      };
    }
    ofState.push(real);
  }
  const ofUser: string[] = [];
  for (const path of users?.write ?? []) {
    const real = realPath(path);
    if (real === null) return missing(path, path);
    ofUser.push(real);
  }
  if (users === null) return { ok: true, paths: ofState };
  if (own === null) return { ok: true, paths: ofUser };
  const both = ofState.flatMap((path) =>
    ofUser.flatMap((allowed) => {
      if (isWithin(allowed, path)) return [path];
      return isWithin(path, allowed) ? [allowed] : [];
    }),
  );
  return { ok: true, paths: [...new Set(both)] };
}

function missing(path: string, full: string): Writable {
  return {
    ok: false,
    problem: `sandbox.write names ${path}, but ${full} does not exist.`,
    hint: "Create it, or name the folder that contains it.",
  };
}

/** Files below writable repositories whose content git executes. */
function gitPrograms(writable: readonly string[]): readonly string[] {
  return writable.flatMap((folder) => [
    join(folder, ".git", "hooks"),
    join(folder, ".git", "config"),
  ]);
}

/** The name servers. It is often a link below /run. */
const RESOLVER = "/etc/resolv.conf";

function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(realPath).filter((path) => path !== null))];
}

function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
