import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fchownSync } from "node:fs";
import type { ProcessCall } from "../../engine/ports/process.ts";
import { type Pipe, type PipeSource, readFrom, sharedPipes } from "./fifo-pool.ts";
import { inputFile } from "./input-file.ts";
import { nodeChild, notSpawned, type Spawned } from "./started-child.ts";

/** Starts a child with Node's own `spawn`. `reopenable` calls get pipes that can be opened by name. */
export async function spawnByNode(
  call: ProcessCall,
  windows: boolean,
  pipes: PipeSource = sharedPipes,
): Promise<Spawned> {
  let outputs: readonly Pipe[];
  try {
    outputs = (call.reopenable === true ? await pipes.take(2) : null) ?? [];
  } catch (error) {
    return notSpawned(error);
  }
  const [out, err] = outputs;
  // The process itself opens them again by name, as its own user.
  if (call.user !== undefined) {
    for (const { writeEnd } of outputs) fchownSync(writeEnd, call.user.uid, call.user.gid);
  }
  const input = call.input === null ? null : inputFile(call.input);
  let child: ChildProcess;
  try {
    child = spawn(call.command, call.args, {
      cwd: call.cwd,
      env: call.env,
      ...call.user,
      // On Windows the child gets a hidden console of its own, which isolates Ctrl-C and its code
      // page.
      detached: !windows,
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
    return notSpawned(error);
  } finally {
    if (input !== null) closeSync(input);
    // The child has its own copies. Open ones here would keep the outputs from ending.
    for (const { writeEnd } of outputs) closeSync(writeEnd);
  }
  if (child.pid !== undefined) {
    const stdout = out === undefined ? child.stdout : readFrom(out.readEnd);
    const stderr = err === undefined ? child.stderr : readFrom(err.readEnd);
    return { ok: true, child: nodeChild(child, { stdout, stderr }) };
  }
  for (const { readEnd } of outputs) closeSync(readEnd);
  const [error] = (await once(child, "error")) as unknown[];
  return notSpawned(error);
}
