import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { closeSync, existsSync } from "node:fs";
import path from "node:path";
import type { ProcessCall } from "../ports/process.ts";
import { inputFile } from "./input-file.ts";
import { notSpawned, type Spawned } from "./spawned.ts";
import { systemProgram } from "./windows-system.ts";

type Execa = typeof import("execa")["execa"];

/** To be had from the first call on: loading it later takes a descriptor, when there may be none. */
let loaded: Promise<Execa> | null = null;

/** Loads execa, which calls wait for. Where it is loaded beforehand, a shortage of descriptors cannot be met here. */
export function loadExeca(): Promise<Execa> {
  loaded ??= import("execa").then(({ execa }) => execa);
  return loaded;
}

/** A child by execa. */
export async function spawnByExeca(call: ProcessCall, windows: boolean): Promise<Spawned> {
  // There it hands what is not there to a shell, whose words for that depend on the language.
  if (windows && path.isAbsolute(call.command) && !existsSync(call.command)) {
    return { ok: false, code: "ENOENT", message: `spawn ${call.command} ENOENT` };
  }
  const execa = await loadExeca();
  // It starts a `.cmd` by the shell that this variable names, or else by the bare name.
  if (windows) process.env["ComSpec"] ??= systemProgram("cmd.exe");
  const input = call.input === null || windows ? null : inputFile(call.input);
  const { result, made } = watched(() =>
    execa(call.command, call.args, {
      cwd: call.cwd,
      env: call.env,
      ...call.user,
      extendEnv: false,
      detached: !windows,
      // Its types know descriptors up to 9; it passes on any.
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
  // A child of execa is a promise too, so it travels inside a record.
  const { child } = result;
  if (child.pid === undefined) return notSpawned((await child).cause);
  const { stdout, stderr } = child;
  return { ok: true, child, stdout, stderr };
}

/**
 * What a start has given, and the child that Node has made for it. Without descriptors that is a child without
 * streams, at which execa throws; what is wrong the child says a moment later, which ends raymond if nobody listens.
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
