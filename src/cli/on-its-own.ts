import { fstatSync } from "node:fs";
import { DETACHED } from "../runs/detached-mark.ts";

/** What a raymond knows that drives a run on its own. */
export interface OnItsOwn {
  /** The id that was chosen for its run. */
  readonly id: string;
  /** Says, before anything of the run is printed, that it has begun; whoever has started it goes. */
  readonly begun: () => void;
}

/** Null for a raymond that was started by a person; what it is told by is taken out of the environment, which scripts get. */
export function onItsOwn(process: NodeJS.Process): OnItsOwn | null {
  const id = process.env[DETACHED];
  Reflect.deleteProperty(process.env, DETACHED);
  if (id === undefined || process.send === undefined) return null;
  let told = false;
  process.once("disconnect", () => {
    // Ctrl-C before the run has begun: then nobody knows of it.
    if (!told) process.kill(process.pid, "SIGINT");
  });
  return {
    id,
    begun: () => {
      if (told) return;
      told = true;
      process.send?.(fstatSync(STDERR).size);
    },
  };
}

const STDERR = 2;
