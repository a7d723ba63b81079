import { fstatSync } from "node:fs";
import type { Actor } from "../machine/model/actor.ts";
import { DETACHED, DETACHED_VIA } from "../run/control/detached-mark.ts";

/** A raymond process that `--detach` has started. */
export interface DetachedChild {
  /** The id that the parent chose for its run. */
  readonly id: string;
  /** Where the command to start it came from. */
  readonly via: Actor["via"];
  /** Reports to the parent, before the first output, that the run has started. The parent then exits. */
  readonly started: () => void;
}

/** Null for a process that a person started. Removes the mark from the environment, which scripts receive. */
export function detachedChild(process: NodeJS.Process): DetachedChild | null {
  const id = process.env[DETACHED];
  const via = process.env[DETACHED_VIA] === "dashboard" ? "dashboard" : "command";
  for (const mark of [DETACHED, DETACHED_VIA]) Reflect.deleteProperty(process.env, mark);
  if (id === undefined || process.send === undefined) return null;
  let reported = false;
  process.once("disconnect", () => {
    // Ctrl-C in the parent before the run has started.
    if (!reported) process.kill(process.pid, "SIGINT");
  });
  return {
    ...{ id, via },
    started: () => {
      if (reported) return;
      reported = true;
      process.send?.(fstatSync(STDERR).size);
    },
  };
}

const STDERR = 2;
