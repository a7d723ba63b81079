import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { closeSync, existsSync, fchownSync } from "node:fs";
import path from "node:path";
// Not loaded later: loading needs descriptors, of which there may be none.
import { execa } from "execa";
import type { ProcessCall } from "../../engine/ports/process.ts";
import { systemProgram } from "../platform/windows-system.ts";
import { type Pipe, type PipeSource, readFrom, sharedPipes } from "./fifo-pool.ts";
import { inputFile } from "./input-file.ts";
import { nodeChild, notSpawned, type Spawned } from "./started-child.ts";

/**
 * Starts a child with execa (docs/decisions/0007). `reopenable` calls get pipes that can be opened
 * by name.
 */
export async function spawnChild(
  call: ProcessCall,
  windows: boolean,
  pipes: PipeSource = sharedPipes,
): Promise<Spawned> {
  // On Windows execa passes a missing program to a shell, whose error message is localized.
  if (windows && path.isAbsolute(call.command) && !existsSync(call.command)) {
    return { ok: false, code: "ENOENT", message: `spawn ${call.command} ENOENT` };
  }
  // execa starts a `.cmd` with the shell in this variable, else with a relative name.
  if (windows) process.env["ComSpec"] ??= systemProgram("cmd.exe");
  let outputs: readonly Pipe[];
  try {
    outputs = (call.reopenable === true ? await pipes.take(2) : null) ?? [];
  } catch (error) {
    return notSpawned(error);
  }
  const [out, err] = outputs;
  // The process itself opens them again by name, as its own user.
  if (call.user !== undefined) {
    for (const { writeEnd } of outputs) fchownSync(writeEnd, call.user.uid, call.user.gid);
  }
  const input = call.input === null || windows ? null : inputFile(call.input);
  const { result, made } = observed(() =>
    execa(call.verbatim === true ? withoutQuietFlag(call.command) : call.command, call.args, {
      cwd: call.cwd,
      env: call.env,
      ...call.user,
      extendEnv: false,
      // On Windows the child gets a hidden console of its own, which isolates Ctrl-C and its code page.
      detached: !windows,
      windowsVerbatimArguments: call.verbatim === true,
      // The types allow descriptors up to 9; any number works.
      stdin: call.input === null ? "ignore" : ((input as 3 | null) ?? "pipe"),
      stdout: (out?.writeEnd as 3 | undefined) ?? "pipe",
      stderr: (err?.writeEnd as 3 | undefined) ?? "pipe",
      buffer: false,
      encoding: "buffer",
      stripFinalNewline: false,
      reject: false,
      cleanup: false,
      forceKillAfterDelay: false,
    }),
  );
  if (input !== null) closeSync(input);
  // The child has its own copies. Open ones here would keep the outputs from ending.
  for (const { writeEnd } of outputs) closeSync(writeEnd);
  if ("child" in result && result.child.pid !== undefined) {
    const { child } = result;
    const stdout = out === undefined ? child.stdout : readFrom(out.readEnd);
    const stderr = err === undefined ? child.stderr : readFrom(err.readEnd);
    return { ok: true, child: nodeChild(child, { stdout, stderr }) };
  }
  for (const { readEnd } of outputs) closeSync(readEnd);
  if ("child" in result) return notSpawned((await result.child).cause);
  return notSpawned(made === null ? result.error : ((await once(made, "error")) as unknown[])[0]);
}

/**
 * The result of `start`, and the child that Node created for it. Without free descriptors Node
 * creates a child without streams and execa throws. The child emits its error later, which would
 * crash raymond without a listener.
 */
function observed<T>(start: () => T): {
  readonly result: { readonly child: T } | { readonly error: unknown };
  readonly made: ChildProcess | null;
} {
  let made: ChildProcess | null = null;
  const onStart = (message: unknown): void => {
    made = (message as { readonly process: ChildProcess }).process;
  };
  subscribe("child_process", onStart);
  try {
    return { result: { child: start() }, made };
  } catch (error) {
    return { result: { error }, made };
  } finally {
    unsubscribe("child_process", onStart);
  }
}

/** execa adds `/q` to the arguments of `cmd.exe`, but not if the name has capital letters. */
function withoutQuietFlag(command: string): string {
  return command.replace(/\bcmd\.exe$/, "CMD.EXE");
}
