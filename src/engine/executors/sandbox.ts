import { isBelow } from "../../files/paths.ts";
import type { BackendFacts } from "../../machine/backends/backend-facts.ts";
import { containerProblem } from "../../machine/backends/container-problem.ts";
import type { Step } from "../../machine/decide/step.ts";
import { type Failure, failure } from "../../machine/model/failure.ts";
import { programOnPath } from "../../process/find-program.ts";
import { bubblewrapArgs } from "../../process/sandbox/bubblewrap.ts";
import type { CallSandbox } from "../ports/backend.ts";
import type { Environment } from "./environment.ts";
import {
  exchangeableLink,
  existing,
  gitPrograms,
  hiddenFolders,
  limitsOf,
  missingGitPrograms,
  realPath,
} from "./sandbox-paths.ts";
import type { ScriptCommand } from "./script-command.ts";

/** A command to start, or why it cannot be started in its sandbox. */
export type Sandboxed =
  | { readonly ok: true; readonly command: ScriptCommand }
  | { readonly ok: false; readonly failure: Failure };

/** The part of a step that determines its sandbox. */
export interface SandboxedStep extends Pick<Step, "source" | "cwd" | "launchDir" | "worktree"> {
  readonly file: Pick<Step["file"], "kind" | "sandbox">;
  readonly settings: Pick<Step["settings"], "sandbox" | "container">;
}

export interface SandboxedBackend extends Pick<BackendFacts, "name"> {
  readonly can: Pick<BackendFacts["can"], "sandbox" | "container">;
}

/** The name servers. It is often a link below /run. */
const RESOLVER = "/etc/resolv.conf";

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
  const program = programOnPath("bwrap", env["PATH"]);
  if (program === null) {
    return fails(
      "its sandbox needs bubblewrap, and there is no bwrap on PATH.",
      "Install it (Debian, Ubuntu: apt install bubblewrap), or remove sandbox from the settings and from the state.",
    );
  }
  const limits = limitsOf(step, step.file.sandbox, step.settings.sandbox);
  if (!limits.ok) return fails(limits.problem, limits.hint);
  const { writable, network } = limits.sandbox;
  const wanted = [...step.deniedPaths, ...gitPrograms(writable)];
  const kept = existing(wanted);
  for (const place of wanted) {
    const link = exchangeableLink(place, writable, kept);
    if (link === null) continue;
    return fails(
      `its sandbox cannot protect ${place}, because the step may exchange the link ${link}.`,
      "Use the path without links, or exclude the folder of the link from sandbox.write.",
    );
  }
  const payload = env["RAYMOND_RESULT_FILE"];
  const needed = [step.scopeDir, ...(payload === undefined ? [] : [payload]), RESOLVER];
  const args = bubblewrapArgs(
    {
      cwd: realPath(step.cwd) ?? step.cwd,
      hidden: hiddenFolders(),
      readable: existing(needed),
      writable,
      protected: kept,
      masked: missingGitPrograms(writable),
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
  const outside = containerProblem(step.settings, { name, can });
  if (outside !== null) return refused(step, outside.message, outside.hint);
  if (!hasSandbox(step)) return { ok: true, sandbox: null };
  if (!can.sandbox) {
    return refused(
      step,
      `the backend "${name}" has no sandbox.`,
      "Remove sandbox from the settings and from the state, or use another backend.",
    );
  }
  const limits = limitsOf(step, step.file.sandbox, step.settings.sandbox);
  if (!limits.ok) return refused(step, limits.problem, limits.hint);
  const cwd = realPath(step.cwd) ?? step.cwd;
  if (!limits.sandbox.writable.some((path) => isBelow(path, cwd))) {
    return refused(
      step,
      `its sandbox excludes the working folder ${step.cwd}, and the agent's commands can always change that.`,
      "Add the working folder to sandbox.write, or start the step in a folder that it may change (cd).",
    );
  }
  return { ok: true, sandbox: limits.sandbox };
}

/** The failure of a step that is not started. */
export function refused(
  { source, file }: Pick<Step, "source"> & { readonly file: Pick<Step["file"], "kind"> },
  why: string,
  hint: string,
) {
  const message = `${source}: the ${file.kind} was not started: ${why}`;
  return { ok: false, failure: failure("deterministic", message, hint) } as const;
}

function hasSandbox({ file, settings }: SandboxedStep): boolean {
  return file.sandbox !== null || settings.sandbox !== null;
}
