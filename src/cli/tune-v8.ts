import { setFlagsFromString } from "node:v8";
import type { Observer } from "../engine/ports/observer.ts";

/**
 * Changes the flags of V8 to what a run of its size needs (docs/decisions/0015-v8-flags.md). Not earlier: V8 ignores code
 * caches, also those of Node's own modules, after flags have changed.
 *
 * - From the second step, on Node 20: V8 compiles a function with its optimizing compiler 30 times later. Steps spread over
 *   several hundred functions, so that optimizing them takes more processor time than it saves. Later versions of V8 do
 *   not have the flag, and wait longer by themselves.
 * - From many agents: V8 limits the heap. The young generation would grow to 48 MiB, and the old one to four times the
 *   memory in use before it is collected; every fork of a process copies its page tables.
 */
export function tuneV8(
  // Not the function itself: node:v8 takes a millisecond to load, and a run of one step does not need it.
  set = (flag: string) => {
    setFlagsFromString(flag);
  },
  version = process.versions.v8,
): Observer {
  const optimizesEarly = version.startsWith(V8_OF_NODE_20);
  let steps = 0;
  let hasMany = false;
  return {
    notify: ({ type }, { agents }) => {
      if (type === "step.started") {
        steps += 1;
        if (steps === 2 && optimizesEarly) set(OPTIMIZE_LATER);
      }
      if (hasMany || agents.length < MANY_AGENTS) return;
      hasMany = true;
      set("--semi-space-growth-factor=1");
      set("--heap-growing-percent=40");
    },
  };
}

const V8_OF_NODE_20 = "11.3.";

/** Bytes of bytecode that a function executes before V8 considers optimizing it. V8's own value is 66 KiB. */
const OPTIMIZE_LATER = "--interrupt-budget=2000000";

const MANY_AGENTS = 50;
