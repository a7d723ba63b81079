import { availableParallelism } from "node:os";
import type { Event } from "../core/machine/event.ts";
import type { Clock } from "../ports/clock.ts";
import type { Observer } from "../ports/observer.ts";
import type { System } from "../runs/wire/system.ts";
import { startInTurn } from "./start-in-turn.ts";
import { Turns } from "./turns.ts";

/*
 * A worker may be handed thousands of runs at once, and the waits of thousands may end at the same moment. If all
 * of them began beside each other they would share the processors, and the first would be as late as the last;
 * and memory would hold what all of them need to begin. So they begin one after the other, a few beside each other,
 * and their waits end one after the other as well.
 */

/** How runs begin on this worker, in turns: enough of them that the database is not waited for idly. */
export function turnsToBegin(clock: Clock): Turns {
  return new Turns({ atOnce: 16 * availableParallelism(), longMs: 1_000, clock });
}

/** Calls back when a run has begun: it steps, waits, or is over. */
export function whenBegun(begun: () => void): Observer {
  return {
    notify: ({ type }) => {
      if (BEGUN.has(type)) begun();
    },
  };
}

const BEGUN: ReadonlySet<Event["type"]> = new Set([
  ...(["step.started", "agent.waiting", "agent.retrying", "agent.asked", "agent.opened"] as const),
  ...(["run.waiting", "run.still-waiting", "run.ended"] as const),
]);

/** The system of a worker, whose processes start in turns: a processor can work on one at a time. */
export function startingInTurn(system: System): System {
  const { processes, clock } = system;
  const turns = new Turns({ atOnce: 4 * availableParallelism(), longMs: 100, clock });
  return { ...system, processes: { ...processes, start: startInTurn(processes.start, turns) } };
}
