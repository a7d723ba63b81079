import { hostname, userInfo } from "node:os";
import type { Actor } from "../../machine/model/actor.ts";

/**
 * The user of this process, by its user id: no variable can change it, except `SUDO_USER`, which is
 * only reported in addition.
 */
export function systemActor(
  env: Readonly<Record<string, string | undefined>>,
  via: Actor["via"] = "command",
): Actor {
  const { SUDO_USER: sudoUser } = env;
  const sudo = sudoUser === undefined || sudoUser === "" ? {} : { sudoUser };
  return { user: userName(), host: hostname(), via, ...sudo };
}

/** Null if the system has no name for the user. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
