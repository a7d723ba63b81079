import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { inputFile } from "./input-file.ts";
import type { ProcessCall } from "./process.ts";

/** A child that runs, or the system's reason why there is none. */
export type Spawned =
  | { readonly ok: true; readonly child: ChildProcess }
  | { readonly ok: false; readonly code: string; readonly message: string };

/**
 * Starts the process of a call, with its pipes and, on Unix, as the leader of a
 * session and process group of its own. Rejects only for bugs.
 *
 * Unix takes Node's own `spawn`: execa costs a third more per process, and
 * cannot survive EMFILE (Node then gives it a child without streams, and the
 * error is emitted with nobody listening). On Windows execa earns its keep: it
 * knows how to start a `.cmd`, and how to quote for it.
 */
export async function spawnChild(call: ProcessCall, platform: NodeJS.Platform): Promise<Spawned> {
  return platform === "win32" ? spawnByExeca(call) : spawnByNode(call);
}

async function spawnByNode(call: ProcessCall): Promise<Spawned> {
  const input = call.input === null ? null : inputFile(call.input);
  let child: ChildProcess;
  try {
    child = spawn(call.command, call.args, {
      cwd: call.cwd,
      env: call.env,
      detached: true,
      stdio: [call.input === null ? "ignore" : (input ?? "pipe"), "pipe", "pipe"],
    });
  } catch (error) {
    return failure(error);
  } finally {
    if (input !== null) closeSync(input);
  }
  if (child.pid !== undefined) return { ok: true, child };
  const [error] = (await once(child, "error")) as unknown[];
  return failure(error);
}

async function spawnByExeca(call: ProcessCall): Promise<Spawned> {
  const { execa } = await import("execa");
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
  if (child.pid !== undefined) return { ok: true, child };
  return failure(await child);
}

function failure(error: unknown): Spawned {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== "string") throw error;
  return { ok: false, code, message: String(message) };
}
