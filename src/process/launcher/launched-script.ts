import { isAbsolute } from "node:path";
import type { ProcessCall } from "../../engine/ports/process.ts";
import type { Spawned } from "../children/started-child.ts";
import { createLauncher, type Launcher } from "./launcher.ts";

export type Spawn = (call: ProcessCall) => Promise<Spawned>;

/** Starts scripts by the launcher, and by `spawn` where the launcher cannot. */
export function launchScripts(spawn: Spawn, launcher: Launcher = createLauncher()): Spawn {
  return async (call) => {
    if (!isLaunchable(call)) return spawn(call);
    return (await launch(call, launcher)) ?? spawn(call);
  };
}

/** Other calls need what only Node's own `spawn` does. It also reports NUL characters as bugs. */
function isLaunchable({ command, args, cwd, env, input, user }: ProcessCall): boolean {
  const texts = [command, ...args, cwd, ...Object.values(env), ...Object.keys(env)];
  return (
    isAbsolute(command) &&
    input === null &&
    user === undefined &&
    !texts.some((text) => text.includes("\0"))
  );
}

/** Null if the launcher is unavailable. */
async function launch(call: ProcessCall, launcher: Launcher): Promise<Spawned | null> {
  const result = await launcher.launch(call);
  switch (result.kind) {
    case "started":
      return { ok: true, child: result.child };
    case "failed":
      return { ok: false, code: result.code, message: `spawn ${call.command} ${result.code}` };
    case "unavailable":
      return null;
  }
}
