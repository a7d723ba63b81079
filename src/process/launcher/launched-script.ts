import { closeSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ProcessCall } from "../../engine/ports/process.ts";
import {
  closePipe,
  type Pipe,
  type PipeSource,
  readFrom,
  sharedPipes,
} from "../children/fifo-pool.ts";
import { notSpawned, type Spawned } from "../children/started-child.ts";
import { createLauncher, type Launcher } from "./launcher.ts";

export type Spawn = (call: ProcessCall) => Promise<Spawned>;

export interface LaunchOptions {
  readonly launcher?: Launcher;
  readonly pipes?: PipeSource;
  /** The number of scripts that are started directly first, so that short runs need no launcher. */
  readonly direct?: number;
}

/** Starts scripts by the launcher, and by `spawn` where the launcher cannot. */
export function launchScripts(
  spawn: Spawn,
  { launcher = createLauncher(), pipes = sharedPipes, direct = 1 }: LaunchOptions = {},
): Spawn {
  let count = 0;
  return async (call) => {
    count += 1;
    if (count <= direct || !isLaunchable(call)) return spawn(call);
    return (await launch(call, launcher, pipes)) ?? spawn(call);
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
async function launch(
  call: ProcessCall,
  launcher: Launcher,
  pipes: PipeSource,
): Promise<Spawned | null> {
  let outputs: readonly Pipe[] | null;
  try {
    outputs = await pipes.take(2);
  } catch (error) {
    return notSpawned(error);
  }
  const [out, err] = outputs ?? [];
  if (out === undefined || err === undefined) return null;
  const { command, args, cwd, env, token } = call;
  const result = await launcher.launch({
    ...{ command, args, cwd, env, token },
    outputs: [out, err].map((pipe) => `/proc/${String(process.pid)}/fd/${String(pipe.writeEnd)}`),
  });
  if (result.kind === "started") {
    // The process has its own. Open ones here would keep the outputs from ending.
    for (const { writeEnd } of [out, err]) closeSync(writeEnd);
    const outputs = { stdout: readFrom(out), stderr: readFrom(err) };
    return { ok: true, child: { ...result.process, stdin: null, ...outputs } };
  }
  closePipe(out);
  closePipe(err);
  if (result.kind === "unavailable") return null;
  return { ok: false, code: result.code, message: `spawn ${command} ${result.code}` };
}
