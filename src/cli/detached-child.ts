import { fstatSync } from "node:fs";
import { DETACHED } from "../run/control/detached-mark.ts";

/** A raymond process that `--detach` has started. */
export interface DetachedChild {
  /** The id that the parent chose for its run. */
  readonly id: string;
  /** Reports to the parent, before the first output, that the run has started. The parent then exits. */
  readonly started: () => void;
}

/** Null for a process that a person started. Removes the mark from the environment, which scripts receive. */
export function detachedChild(process: NodeJS.Process): DetachedChild | null {
  const id = process.env[DETACHED];
  Reflect.deleteProperty(process.env, DETACHED);
  if (id === undefined || process.send === undefined) return null;
  let reported = false;
  process.once("disconnect", () => {
    // Ctrl-C in the parent before the run has started.
    if (!reported) process.kill(process.pid, "SIGINT");
  });
  return {
    id,
    started: () => {
      if (reported) return;
      reported = true;
      process.send?.(fstatSync(STDERR).size);
    },
  };
}

const STDERR = 2;
