import { setFlagsFromString } from "node:v8";
import type { Observer } from "../ports/observer.ts";

/**
 * Keeps V8 from giving more and more room to what is young, once a run has many agents: it takes 48 MiB
 * otherwise, of which each start of a process copies the tables. Not sooner, for V8 then takes no code cache any
 * more, and of small runs there is nothing to save.
 */
export function smallYoungSpace(
  // Not the function itself: node:v8 takes a millisecond to load, and few runs need it.
  set = (flag: string) => {
    setFlagsFromString(flag);
  },
): Observer {
  let done = false;
  return {
    notify: (_, { agents }) => {
      if (done || agents.length < MANY) return;
      done = true;
      set("--semi-space-growth-factor=1");
    },
  };
}

const MANY = 50;
