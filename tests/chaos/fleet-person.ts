import { setTimeout as delay } from "node:timers/promises";
import { RaymondError } from "../../src/core/errors.ts";
import { drain, endDrain, move } from "../../src/fleet/drain.ts";
import type { OpenFleet } from "../../src/fleet/open.ts";
import { resumeInFleet } from "../../src/fleet/resume.ts";
import { answer } from "../../src/runs/answer.ts";
import type { Caller } from "../../src/runs/caller.ts";
import { stop } from "../../src/runs/stop.ts";
import { type Dice, diceOf } from "../fuzz/dice.ts";

/** Who looks after runs, from a machine that has none. */
export interface Person {
  /** Runs a command in a process of its own, and kills that after so many ms. */
  readonly killed: (words: readonly string[], afterMs: number) => Promise<unknown>;
  readonly fleet: OpenFleet;
  readonly caller: Caller;
  readonly machines: readonly string[];
}

/** What a person has done, and what nobody was to find. */
export interface Deeds {
  readonly done: readonly string[];
  readonly failures: readonly string[];
}

/**
 * Answers what the runs ask and resumes what has stopped, and stops, moves and drains as the seed has it, until
 * `over`: then all that was stopped is resumed, and no machine is drained. What the command line would say in
 * words may happen at any time; anything else is a failure.
 */
export async function attend(
  seed: number,
  ids: readonly string[],
  person: Person,
  over: AbortSignal,
): Promise<Deeds> {
  const dice = diceOf(`person ${String(seed)}`);
  const done: string[] = [];
  const failures: string[] = [];
  const tried = async (what: string, deed: () => Promise<unknown>) => {
    try {
      await deed();
      done.push(what);
    } catch (error) {
      if (error instanceof RaymondError) done.push(`${what}: refused, ${error.code}`);
      else
        failures.push(`${what}: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
    }
  };
  while (!over.aborted) {
    await delay(300 + dice(500));
    for (const { id } of await asking(ids, person)) {
      await tried(`answer ${id}`, () => answer({ run: id, text: "yes" }, callerOf(person)));
    }
    for (const { id, status, set_aside: aside, reason } of await stopped(ids, person)) {
      if (status === "failed" && aside?.startsWith("It was taken over") !== true) {
        failures.push(`${id} has failed: ${aside ?? reason ?? ""}`);
      }
      await tried(`resume ${id} (${aside ?? reason ?? status})`, () =>
        resumeInFleet({ run: id }, person.fleet, person.caller),
      );
    }
    if (failures.length > 0) break;
    const deed = deedBy(dice, ids, person);
    if (deed !== null) await tried(deed.what, deed.does);
  }
  return { done, failures };
}

interface Deed {
  readonly what: string;
  readonly does: () => Promise<unknown>;
}

/** Most looks find nothing to do. */
function deedBy(dice: Dice, ids: readonly string[], person: Person): Deed | null {
  const { fleet, caller, machines, killed } = person;
  const run = ids[dice(ids.length)] ?? "";
  const machine = machines[dice(machines.length)] ?? "";
  switch (dice(12)) {
    case 0:
    case 1:
      return {
        what: `stop ${run}`,
        does: () => stop({ run, timeoutMs: 20_000 }, callerOf(person)),
      };
    case 2:
      return { what: `move ${run} to ${machine}`, does: () => move(run, machine, fleet, caller) };
    case 3:
      return {
        what: `drain ${machine}`,
        does: async () => {
          try {
            await drain(machine, dice(2) === 0, fleet);
            await delay(dice(2_000));
          } finally {
            await endDrain(machine, fleet);
          }
        },
      };
    case 4:
      return {
        what: `move-killed ${run} to ${machine}`,
        does: () => killed(["move", run, "--to", machine], dice(COMMAND_MS)),
      };
    case 5:
      return {
        what: `drain-killed ${machine}`,
        does: async () => {
          try {
            await killed(["drain", machine, "--move"], dice(COMMAND_MS));
            await delay(dice(2_000));
          } finally {
            await endDrain(machine, fleet);
          }
        },
      };
    default:
      return null;
  }
}

/** What a command takes on a busy machine, ms: it is killed at any moment of that. */
const COMMAND_MS = 4_000;

function callerOf({ fleet, caller }: Person): Caller {
  return { ...caller, fleet };
}

function asking(ids: readonly string[], { fleet }: Person) {
  return fleet.database.query<{ id: string }>(
    `SELECT id FROM raymond.runs r WHERE id = ANY($1) AND questions IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM raymond.answers a WHERE a.run = r.id)`,
    [ids],
  );
}

interface Stopped {
  readonly id: string;
  readonly status: string;
  readonly set_aside: string | null;
  readonly reason: string | null;
}

function stopped(ids: readonly string[], { fleet }: Person) {
  return fleet.database.query<Stopped>(
    `SELECT id, status, set_aside, state::jsonb->'stop_reason'->>'message' AS reason FROM raymond.runs WHERE id = ANY($1) AND status <> 'completed'
        AND NOT placement @> '{"open": true}'`,
    [ids],
  );
}
