import { setTimeout as delay } from "node:timers/promises";
import type { ThrowAwayServer } from "../../src/stores/postgres/throw-away-server.ts";
import { diceOf } from "../fuzz/dice.ts";
import { type Machine, TTL_MS } from "./fleet-machine.ts";

/**
 * One blow after the other, as the seed has it, each of which is over before the next: few enough that a slow
 * machine begins its steps in between. Resolves with what it did.
 */
export async function strike(
  seed: number,
  machines: readonly Machine[],
  server: ThrowAwayServer,
  until: AbortSignal,
): Promise<readonly string[]> {
  const dice = diceOf(String(seed));
  const roll = () => dice(1_000) / 1_000;
  const done: string[] = [];
  for (let left = BLOWS; left > 0 && !until.aborted; left -= 1) {
    await delay(500 + 3_000 * roll());
    const machine = machines[Math.floor(roll() * machines.length)];
    if (machine === undefined) throw new Error("there is no machine");
    const kind = Math.floor(roll() * 10);
    // As often shorter than what a lease stands as longer.
    const ms = Math.round(2 * TTL_MS * roll());
    if (kind < 4) {
      done.push(`kill ${machine.id}`);
      machine.kill("SIGKILL");
    } else if (kind < 6) {
      done.push(`hang ${machine.id} for ${String(ms)} ms`);
      machine.kill("SIGSTOP");
      await delay(ms);
      machine.kill("SIGCONT");
    } else if (kind < 8) {
      done.push(`cut ${machine.id} off for ${String(ms)} ms`);
      machine.way.partition();
      await delay(ms);
      machine.way.heal();
    } else {
      done.push(`database away for ${String(Math.round(ms / 4))} ms`);
      await server.stop("at once");
      await delay(ms / 4);
      await server.start();
    }
  }
  return done;
}

/** More of them would set a run aside that was taken again and again in vain. */
const BLOWS = 10;
