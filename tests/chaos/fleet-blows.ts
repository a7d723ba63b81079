import { setTimeout as delay } from "node:timers/promises";
import type { ThrowAwayServer } from "../../src/stores/postgres/throw-away-server.ts";
import { type Dice, diceOf } from "../fuzz/dice.ts";
import { type Machine, TTL_MS } from "./fleet-machine.ts";

/** What befell the machines. */
export interface Blow {
  readonly kind: Kind;
  readonly what: string;
}

type Kind = keyof typeof SHARES;

/** Of so many blows. */
const SHARES = {
  kill: 6,
  end: 2,
  hang: 4,
  cut: 3,
  deafen: 2,
  swallow: 2,
  "database away": 4,
} as const;

/**
 * Blows as the seed has them, until they are enough, or `until` aborts. What lasts on one machine may last on
 * while another one is struck; the database comes back before the next blow. Resolves with what was done, when
 * all of it is over.
 */
export async function strike(
  seed: number,
  machines: readonly Machine[],
  server: ThrowAwayServer,
  until: AbortSignal,
): Promise<readonly Blow[]> {
  const dice = diceOf(String(seed));
  const done: Blow[] = [];
  const isOver = () => until.aborted;
  const lasting = new Map<Machine, Promise<void>>();
  for (let left = MOST; left > 0; left -= 1) {
    await delay(300 + dice(1_700), undefined, { signal: until }).catch(() => undefined);
    if (isOver()) break;
    const well = machines.filter((each) => !lasting.has(each));
    const machine = well[dice(well.length)];
    const kind = kindBy(dice);
    // As often shorter than what a lease stands as longer.
    const ms = dice(2 * TTL_MS);
    if (kind === "database away") {
      const away = dice(8) === 0 ? ms : ms / 4;
      const how = dice(2) === 0 ? "at once" : "in order";
      done.push({ kind, what: `database ended ${how}, for ${String(Math.round(away))} ms` });
      await server.stop(how);
      await delay(away);
      await server.start();
      continue;
    }
    // One of them is well at any time.
    if (machine === undefined || well.length === 1) continue;
    done.push({ kind, what: `${kind} ${machine.id} (${String(ms)} ms)` });
    const over = hit(kind, machine, ms).finally(() => lasting.delete(machine));
    lasting.set(machine, over);
  }
  await Promise.all(lasting.values());
  return done;
}

/** More of them in a round: its runs are to end. */
const MOST = 25;

function kindBy(dice: Dice): Kind {
  const kinds = Object.keys(SHARES) as Kind[];
  const all = kinds.flatMap((kind) => Array.from({ length: SHARES[kind] }, () => kind));
  return all[dice(all.length)] ?? "kill";
}

async function hit(
  kind: Exclude<Kind, "database away">,
  { way, kill }: Machine,
  ms: number,
): Promise<void> {
  switch (kind) {
    case "kill":
      kill("SIGKILL");
      return;
    case "end":
      kill("SIGTERM");
      return;
    case "hang":
      kill("SIGSTOP");
      await delay(ms);
      kill("SIGCONT");
      return;
    case "cut":
      way.partition();
      break;
    case "deafen":
      way.deafen();
      break;
    case "swallow":
      way.swallow();
      return;
  }
  await delay(ms);
  way.heal();
}
