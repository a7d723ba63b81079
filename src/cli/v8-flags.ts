import { setFlagsFromString } from "node:v8";
import type { Observer } from "../engine/ports/observer.ts";

/**
 * Limits the young generation of V8 once a run has many agents. It would grow to 48 MiB, and every fork of a process
 * copies its page tables. Not earlier: V8 ignores code caches after flags have changed, and small runs save nothing.
 */
export function limitYoungSpace(
  // Not the function itself: node:v8 takes a millisecond to load, and few runs need it.
  set = (flag: string) => {
    setFlagsFromString(flag);
  },
): Observer {
  let done = false;
  return {
    notify: (_, { agents }) => {
      if (done || agents.length < MANY_AGENTS) return;
      done = true;
      set("--semi-space-growth-factor=1");
    },
  };
}

const MANY_AGENTS = 50;
