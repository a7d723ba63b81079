import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fchownSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { ProcessCall } from "../ports/process.ts";
import { fifoPool, type Pipe } from "./fifo-pool.ts";
import { inputFile } from "./input-file.ts";
import { notSpawned, type Spawned } from "./spawned.ts";

/** One for all runs of this process: it makes many at a time. */
const pipes = fifoPool();

/** A child by Node's own `spawn`, with pipes that can be opened by name where the call asks for them. */
export async function spawnByNode(call: ProcessCall, windows: boolean): Promise<Spawned> {
  let outputs: readonly Pipe[];
  try {
    outputs = (call.reopenable === true ? await pipes.take(2) : null) ?? [];
  } catch (error) {
    return notSpawned(error);
  }
  const [out, err] = outputs;
  // By name they are opened again by the process itself, as its own user.
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
      // On Windows it gets a console of its own, without a window: Ctrl-C and its code page stay with it.
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
  return notSpawned(error);
}

function readFrom({ readEnd }: Pipe): Readable {
  return new Socket({ fd: readEnd, readable: true, writable: false });
}
