import { setTimeout as delay } from "node:timers/promises";
import type { TemporaryServer } from "../../../src/fleet/server/temporary-server.ts";
import { type RandomBelow, seededRandom } from "../../fuzz/seeded-random.ts";
import { type Machine, TTL_MS } from "./machine.ts";

export interface FleetFault {
  readonly kind: Kind;
  readonly what: string;
}

type Kind = keyof typeof SHARES;

/** Relative frequencies. */
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
 * Injects random faults until the maximum is reached or `until` aborts. Faults of several machines can overlap; the
 * database is restarted before the next fault. Resolves with the faults when all of them are over.
 */
export async function injectFaults(
  seed: number,
  machines: readonly Machine[],
  server: TemporaryServer,
  until: AbortSignal,
): Promise<readonly FleetFault[]> {
  const random = seededRandom(String(seed));
  const done: FleetFault[] = [];
  const isOver = () => until.aborted;
  const lasting = new Map<Machine, Promise<void>>();
  for (let left = MAX_FAULTS; left > 0; left -= 1) {
    await delay(300 + random(1_700), undefined, { signal: until }).catch(() => undefined);
    if (isOver()) break;
    const healthy = machines.filter((each) => !lasting.has(each));
    const machine = healthy[random(healthy.length)];
    const kind = kindBy(random);
    // Half of the faults are shorter than a lease.
    const ms = random(2 * TTL_MS);
    if (kind === "database away") {
      const away = random(8) === 0 ? ms : ms / 4;
      const how = random(2) === 0 ? "at once" : "in order";
      done.push({ kind, what: `database stopped ${how}, for ${String(Math.round(away))} ms` });
      await server.stop(how);
      await delay(away);
      await server.start();
      continue;
    }
    // At least one machine always works.
    if (machine === undefined || healthy.length === 1) continue;
    done.push({ kind, what: `${kind} ${machine.id} (${String(ms)} ms)` });
    const over = inject(kind, machine, ms).finally(() => lasting.delete(machine));
    lasting.set(machine, over);
  }
  await Promise.all(lasting.values());
  return done;
}

/** Maximum per round, so that the runs can end. */
const MAX_FAULTS = 25;

function kindBy(random: RandomBelow): Kind {
  const kinds = Object.keys(SHARES) as Kind[];
  const all = kinds.flatMap((kind) => Array.from({ length: SHARES[kind] }, () => kind));
  return all[random(all.length)] ?? "kill";
}

async function inject(
  kind: Exclude<Kind, "database away">,
  { proxy: way, kill }: Machine,
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
      way.dropReplies();
      break;
    case "swallow":
      way.dropNextReply();
      return;
  }
  await delay(ms);
  way.heal();
}
