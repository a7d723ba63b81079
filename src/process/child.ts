import type { ProcessCall } from "../ports/process.ts";
import { spawnByExeca } from "./execa-child.ts";
import { spawnByNode } from "./node-child.ts";
import type { Spawned } from "./spawned.ts";

/**
 * Starts the process of a call, with its pipes and, on Unix, as the leader of a
 * session and process group of its own. Rejects only for bugs. By execa, but for
 * what execa would not leave as it is: outputs that can be opened by name, and
 * on Windows a command line that is whole already (docs/decisions/0007).
 */
export function spawnChild(call: ProcessCall, platform: NodeJS.Platform): Promise<Spawned> {
  const kept = platform === "win32" ? call.verbatim : call.reopenable;
  return kept === true ? spawnByNode(call, platform) : spawnByExeca(call, platform);
}
