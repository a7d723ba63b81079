import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";

export type Spawned =
  | {
      readonly ok: true;
      readonly child: ChildProcess;
      readonly stdout: Readable | null;
      readonly stderr: Readable | null;
    }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Converts a system error. An error without a code is a bug and is thrown. */
export function notSpawned(error: unknown): Spawned {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== "string") throw error;
  return { ok: false, code, message: String(message) };
}
