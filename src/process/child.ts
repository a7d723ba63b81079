import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync } from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import type { ProcessCall } from "../ports/process.ts";
import { fifoPool, type Pipe } from "./fifo-pool.ts";
import { inputFile } from "./input-file.ts";
import { systemProgram } from "./windows-system.ts";

/** A child that runs, or the system's reason why there is none. */
export type Spawned =
  | {
      readonly ok: true;
      readonly child: ChildProcess;
      readonly stdout: Readable | null;
      readonly stderr: Readable | null;
    }
  | { readonly ok: false; readonly code: string; readonly message: string };

/**
 * Starts the process of a call, with its pipes and, on Unix, as the leader of a
 * session and process group of its own. Rejects only for bugs.
 *
 * Unix takes Node's own `spawn`: execa costs a third more per process, and
 * cannot survive EMFILE (Node then gives it a child without streams, and the
 * error is emitted with nobody listening). On Windows execa earns its keep: it
 * knows how to start a `.cmd`, and how to quote for it; a command line that is
 * whole already goes by Node's `spawn` there too.
 */
export async function spawnChild(call: ProcessCall, platform: NodeJS.Platform): Promise<Spawned> {
  return platform === "win32" && call.verbatim !== true
    ? spawnByExeca(call)
    : spawnByNode(call, platform);
}

/** One for all runs of this process: it makes many at a time. */
const pipes = fifoPool();

async function spawnByNode(call: ProcessCall, platform: NodeJS.Platform): Promise<Spawned> {
  let outputs: readonly Pipe[];
  try {
    outputs = (call.reopenable === true ? await pipes.take(2) : null) ?? [];
  } catch (error) {
    return failure(error);
  }
  const [out, err] = outputs;
  const input = call.input === null ? null : inputFile(call.input);
  let child: ChildProcess;
  try {
    child = spawn(call.command, call.args, {
      cwd: call.cwd,
      env: call.env,
      // On Windows it gets a console of its own, without a window: Ctrl-C and its code page stay with it.
      detached: platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: call.verbatim === true,
      stdio: [
        call.input === null ? "ignore" : (input ?? "pipe"),
        out?.writeEnd ?? "pipe",
        err?.writeEnd ?? "pipe",
      ],
    });
  } catch (error) {
    for (const { readEnd } of outputs) closeSync(readEnd);
    return failure(error);
  } finally {
    if (input !== null) closeSync(input);
    // The child has its own; while ours are open the outputs would never end.
    for (const { writeEnd } of outputs) closeSync(writeEnd);
  }
  if (child.pid !== undefined) {
    const stdout = out === undefined ? child.stdout : readFrom(out);
    const stderr = err === undefined ? child.stderr : readFrom(err);
    return { ok: true, child, stdout, stderr };
  }
  for (const { readEnd } of outputs) closeSync(readEnd);
  const [error] = (await once(child, "error")) as unknown[];
  return failure(error);
}

function readFrom({ readEnd }: Pipe): Readable {
  return new Socket({ fd: readEnd, readable: true, writable: false });
}

async function spawnByExeca(call: ProcessCall): Promise<Spawned> {
  // It hands what is not there to a shell, whose words for that depend on the language.
  if (path.isAbsolute(call.command) && !existsSync(call.command)) {
    return { ok: false, code: "ENOENT", message: `spawn ${call.command} ENOENT` };
  }
  const { execa } = await import("execa");
  // It starts a `.cmd` by the shell that this variable names, or else by the bare name.
  process.env["ComSpec"] ??= systemProgram("cmd.exe");
  const child = execa(call.command, call.args, {
    cwd: call.cwd,
    env: call.env,
    extendEnv: false,
    stdin: call.input === null ? "ignore" : "pipe",
    buffer: false,
    encoding: "buffer",
    stripFinalNewline: false,
    reject: false,
    cleanup: false,
    forceKillAfterDelay: false,
  });
  // A child of execa is a promise too, so it travels inside a record.
  if (child.pid !== undefined) {
    const { stdout, stderr } = child;
    return { ok: true, child, stdout, stderr };
  }
  return failure(await child);
}

function failure(error: unknown): Spawned {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== "string") throw error;
  return { ok: false, code, message: String(message) };
}
