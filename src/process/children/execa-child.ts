import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { closeSync, existsSync } from "node:fs";
import path from "node:path";
import type { ProcessCall } from "../../engine/ports/process.ts";
import { systemProgram } from "../platform/windows-system.ts";
import { inputFile } from "./input-file.ts";
import { nodeChild, notSpawned, type Spawned } from "./started-child.ts";

type Execa = typeof import("execa")["execa"];

/** Loading it later takes a descriptor, when there may be none. */
let loaded: Promise<Execa> | null = null;

/** Loads execa. Loading it early avoids a failure when descriptors are short. */
export function loadExeca(): Promise<Execa> {
  loaded ??= import("execa").then(({ execa }) => execa);
  return loaded;
}

export async function spawnByExeca(call: ProcessCall, windows: boolean): Promise<Spawned> {
  // On Windows execa passes a missing program to a shell, whose error message is localized.
  if (windows && path.isAbsolute(call.command) && !existsSync(call.command)) {
    return { ok: false, code: "ENOENT", message: `spawn ${call.command} ENOENT` };
  }
  const execa = await loadExeca();
  // execa starts a `.cmd` with the shell in this variable, else with a relative name.
  if (windows) process.env["ComSpec"] ??= systemProgram("cmd.exe");
  const input = call.input === null || windows ? null : inputFile(call.input);
  const { result, made } = watched(() =>
    execa(call.command, call.args, {
      cwd: call.cwd,
      env: call.env,
      ...call.user,
      extendEnv: false,
      detached: !windows,
      // The types allow descriptors up to 9; any number works.
      stdin: call.input === null ? "ignore" : ((input as 3 | null) ?? "pipe"),
      buffer: false,
      encoding: "buffer",
      stripFinalNewline: false,
      reject: false,
      cleanup: false,
      forceKillAfterDelay: false,
    }),
  );
  if (input !== null) closeSync(input);
  if ("error" in result) {
    if (made === null) return notSpawned(result.error);
    const [error] = (await once(made, "error")) as unknown[];
    return notSpawned(error);
  }
  // An execa child is also a promise, so it is wrapped in an object.
  const { child } = result;
  if (child.pid === undefined) return notSpawned((await child).cause);
  return { ok: true, child: nodeChild(child) };
}

/**
 * The result of `start`, and the child that Node created for it. Without free descriptors Node
 * creates a child without streams and execa throws. The child emits its error later, which would
 * crash raymond without a listener.
 */
function watched<T>(start: () => T): {
  readonly result: { readonly child: T } | { readonly error: unknown };
  readonly made: ChildProcess | null;
} {
  let made: ChildProcess | null = null;
  const see = (message: unknown): void => {
    made = (message as { readonly process: ChildProcess }).process;
  };
  subscribe("child_process", see);
  try {
    return { result: { child: start() }, made };
  } catch (error) {
    return { result: { error }, made };
  } finally {
    unsubscribe("child_process", see);
  }
}
