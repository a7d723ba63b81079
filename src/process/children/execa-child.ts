import { existsSync } from "node:fs";
import path from "node:path";
import type { ProcessCall } from "../../engine/ports/process.ts";
import { systemProgram } from "../platform/windows-system.ts";
import { nodeChild, notSpawned, type Spawned } from "./started-child.ts";

/** Starts a command on Windows, where execa handles `.cmd` files, PATHEXT and quoting. */
export async function spawnByExeca(call: ProcessCall): Promise<Spawned> {
  // execa passes a missing program to a shell, whose error message is localized.
  if (path.isAbsolute(call.command) && !existsSync(call.command)) {
    return { ok: false, code: "ENOENT", message: `spawn ${call.command} ENOENT` };
  }
  const { execa } = await import("execa");
  // execa starts a `.cmd` with the shell in this variable, else with a relative name.
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
  if (child.pid === undefined) return notSpawned((await child).cause);
  return { ok: true, child: nodeChild(child) };
}
