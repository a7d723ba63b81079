import { homedir } from "node:os";
import path from "node:path";
import type { Caller } from "../caller.ts";

/** The folder of raymond for data of the user that belongs to no project. */
export function userStateFolder(env: Caller["env"]): string {
  const home = env["HOME"] ?? homedir();
  const state = env["XDG_STATE_HOME"] ?? "";
  const base = path.isAbsolute(state) ? state : path.join(home, ".local", "state");
  const local = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  return path.join(local ?? base, "raymond");
}
