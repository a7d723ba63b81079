import { setTimeout as delay } from "node:timers/promises";
import type { OpenFleet } from "../../../src/fleet/admin/open.ts";
import { drain, endDrain, move } from "../../../src/fleet/worker/drain.ts";
import { resumeInFleet } from "../../../src/fleet/worker/resume.ts";
import { RaymondError } from "../../../src/language/basics/errors.ts";
import { answer } from "../../../src/run/answer.ts";
import { stop } from "../../../src/run/control/stop.ts";
import type { Caller } from "../../../src/wire/caller.ts";
import { type RandomBelow, seededRandom } from "../../fuzz/seeded-random.ts";

/** Operates runs from a machine without a worker. */
export interface Operator {
  /** Runs a command in a new process and kills it after `afterMs`. */
  readonly killed: (words: readonly string[], afterMs: number) => Promise<unknown>;
  readonly fleet: OpenFleet;
  readonly caller: Caller;
  readonly machines: readonly string[];
}

/** Actions of the operator, and failures. */
export interface OperatorLog {
  readonly done: readonly string[];
  readonly failures: readonly string[];
}

/**
 * Answers questions, resumes stopped runs, and randomly stops, moves and drains until `over`. Then all stopped runs
 * are resumed and no machine is drained. A RaymondError is a valid outcome, any other error is a failure.
 */
export async function operate(
  seed: number,
  ids: readonly string[],
  person: Operator,
  over: AbortSignal,
): Promise<OperatorLog> {
  const random = seededRandom(`person ${String(seed)}`);
  const done: string[] = [];
  const failures: string[] = [];
  const attempt = async (what: string, action: () => Promise<unknown>) => {
    try {
      await action();
      done.push(what);
    } catch (error) {
      if (error instanceof RaymondError) done.push(`${what}: refused, ${error.code}`);
      else
        failures.push(`${what}: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
    }
  };
  while (!over.aborted) {
    await delay(300 + random(500));
    for (const { id } of await asking(ids, person)) {
      await attempt(`answer ${id}`, () => answer({ run: id, text: "yes" }, callerOf(person)));
    }
    for (const { id, status, set_aside: aside, reason } of await stopped(ids, person)) {
      if (status === "failed" && aside?.startsWith("It was claimed") !== true) {
        failures.push(`${id} has failed: ${aside ?? reason ?? ""}`);
      }
      await attempt(`resume ${id} (${aside ?? reason ?? status})`, () =>
        resumeInFleet({ run: id }, person.fleet, person.caller),
      );
    }
    if (failures.length > 0) break;
    const action = randomAction(random, ids, person);
    if (action !== null) await attempt(action.what, action.does);
  }
  return { done, failures };
}

interface OperatorAction {
  readonly what: string;
  readonly does: () => Promise<unknown>;
}

/** A random action; mostly none. */
function randomAction(
  random: RandomBelow,
  ids: readonly string[],
  person: Operator,
): OperatorAction | null {
  const { fleet, caller, machines, killed } = person;
  const run = ids[random(ids.length)] ?? "";
  const machine = machines[random(machines.length)] ?? "";
  switch (random(12)) {
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
            await drain(machine, random(2) === 0, fleet, caller);
            await delay(random(2_000));
          } finally {
            await endDrain(machine, fleet, caller);
          }
        },
      };
    case 4:
      return {
        what: `move-killed ${run} to ${machine}`,
        does: () => killed(["fleet", "move", run, "--to", machine], random(COMMAND_MS)),
      };
    case 5:
      return {
        what: `drain-killed ${machine}`,
        does: async () => {
          try {
            await killed(["fleet", "drain", machine, "--move"], random(COMMAND_MS));
            await delay(random(2_000));
          } finally {
            await endDrain(machine, fleet, caller);
          }
        },
      };
    default:
      return null;
  }
}

/** Maximum delay before a command is killed, ms: about its duration on a busy machine. */
const COMMAND_MS = 4_000;

function callerOf({ fleet, caller }: Operator): Caller {
  return { ...caller, fleet };
}

function asking(ids: readonly string[], { fleet }: Operator) {
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

function stopped(ids: readonly string[], { fleet }: Operator) {
  return fleet.database.query<Stopped>(
    `SELECT id, status, set_aside, state::jsonb->'stop_reason'->>'message' AS reason FROM raymond.runs WHERE id = ANY($1) AND status <> 'completed'
        AND NOT placement @> '{"open": true}'`,
    [ids],
  );
}
