import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type pg from "pg";
import type { Clock } from "../../ports/clock.ts";
import type { Database } from "./database.ts";
import { MachineTakenError } from "./lease-errors.ts";
import type { MachineId } from "./placement.ts";
import { inWords } from "./trouble.ts";

/*
 * How a worker shows that it lives:
 *
 * L1  A lock of the session on a connection of its own: the death of the process frees it at once.
 * L2  A row with the time of the last beat, by the clock of the database: who hangs, or cannot be reached,
 *     is silent there.
 * L3  A beat counts from the moment before it was sent, by the clock of the machine that nobody can set.
 * L4  Who was not heard for so long that another may take its runs holds itself for dead, for ever: it ends
 *     what it has started, and a beat that comes through after that changes nothing.
 * L5  A lost connection is no loss of the lease: one loop, with growing pauses of random length, makes
 *     another, until L4. Where another worker has the lock by then, the lease is lost.
 * L6  The server may keep the session of a connection that is gone, and its locks, for hours: where a router
 *     has forgotten the connection, say. So whoever makes another ends his old session, and a worker that
 *     begins ends those of workers of its machine that are dead (L4).
 */

/** For so long after its last beat nobody takes the runs of a worker, ms, where it says nothing else. */
export const LEASE_TTL_MS = 30_000;

/** So many beats in the time that a lease is good. */
const BEATS = 6;

/** So long before others may take its runs a worker gives them up, as a part of the time that a lease is good. */
const MARGIN = 1 / 6;

/** Whether a worker whose last beat was sent then must hold itself for dead (L4). Both by the clock that only goes on. */
export function isOver(lastBeat: number, now: number, ttlMs: number): boolean {
  return now - lastBeat > lifeOf(ttlMs);
}

/** How long a worker trusts its lease after a heartbeat, ms. */
function lifeOf(ttlMs: number): number {
  return ttlMs * (1 - MARGIN);
}

/** The right of a worker to be a machine. */
export interface Lease {
  /** The row of `raymond.holders` that is this worker. */
  readonly holder: number;
  /** Aborts when the lease is lost; its reason says how, as a sentence. */
  readonly lost: AbortSignal;
  /** Gives it up: when it was heard last stays to be seen. Idempotent, and never rejects. */
  end(): Promise<void>;
}

export interface LeaseWorld {
  readonly database: Pick<Database, "connect" | "address">;
  readonly clock: Clock;
  /** For so long a beat is good, ms. */
  readonly ttlMs: number;
  /** In [0, 1). */
  readonly dice: () => number;
  /** Called after each heartbeat with the time until the lease is over without another one, ms. */
  readonly renewed?: (leftMs: number) => void;
}

/** What `raymond.holders` tells of a worker. */
export interface WorkerIdentity {
  readonly pid: number;
  readonly identity: string;
}

/**
 * Takes the lease of a machine. Rejects with a {@link MachineTakenError} where another worker has it, and
 * with what the database says.
 */
export async function takeLease(
  machine: MachineId,
  me: WorkerIdentity,
  world: LeaseWorld,
): Promise<Lease> {
  const { clock, ttlMs, dice } = world;
  const beatMs = ttlMs / BEATS;
  const key = lockKey();
  const lost = new AbortController();
  const ended = new AbortController();
  let client = await world.database.connect();
  let holder: number;
  let lastBeat = clock.elapsed();
  const begin = async () => {
    await endSessions(client, "h.machine = $1 AND NOT raymond.lives(h)", machine);
    await lockMachine(client, machine);
    await client.query("SELECT pg_advisory_lock($1)", [key]);
    return register(client, key, machine, { ...me, ttlMs });
  };
  try {
    holder = await inWords(world.database.address, begin());
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }

  const lose = (reason: string) => {
    if (!lost.signal.aborted && !ended.signal.aborted) lost.abort(reason);
  };
  const over = () => isOver(lastBeat, clock.elapsed(), ttlMs);
  const isDone = () => lost.signal.aborted || ended.signal.aborted;

  async function beat(): Promise<void> {
    const sent = clock.elapsed();
    const { rowCount } = await client.query({
      text: "UPDATE raymond.holders SET heard_at = clock_timestamp() WHERE id = $1",
      values: [holder],
      // Enough is left then to make another connection.
      ...({ query_timeout: ttlMs / 2 } as object),
    });
    if (rowCount === 0) {
      lose("The fleet has taken this worker for dead.");
      return;
    }
    lastBeat = sent;
    world.renewed?.(lifeOf(ttlMs) - (clock.elapsed() - sent));
  }

  async function reconnect(): Promise<void> {
    void client.end().catch(() => undefined);
    for (let pause = FIRST_PAUSE_MS; !isDone() && !over(); pause = Math.min(2 * pause, beatMs)) {
      await clock.sleep(pause * (0.5 + dice()), ended.signal);
      const fresh = await world.database.connect().catch(() => null);
      if (fresh === null) continue;
      try {
        await endSessions(fresh, "h.id = $1", holder);
        await lockMachine(fresh, machine);
        await fresh.query("SELECT pg_advisory_lock($1)", [key]);
        client = fresh;
        return;
      } catch {
        // The old session may need a moment to end: the machine is ours still.
        await fresh.end().catch(() => undefined);
      }
    }
  }

  async function keep(): Promise<void> {
    // Once the lease is over nothing here waits any more: `watch` must get its turn to report that.
    while (!isDone() && !over()) {
      try {
        await beat();
        await clock.sleep(beatMs * (0.8 + 0.2 * dice()), ended.signal);
      } catch {
        await reconnect();
      }
    }
  }

  async function watch(): Promise<void> {
    while (!isDone()) {
      if (over()) {
        lose("The database has not heard this worker for too long: others may take its runs now.");
        return;
      }
      await clock.sleep(ttlMs / 20, ended.signal);
    }
  }

  const loops = Promise.all([keep(), watch()]);
  return {
    holder,
    lost: lost.signal,
    end: async () => {
      if (ended.signal.aborted) return;
      ended.abort();
      await loops;
      await client.end().catch(() => undefined);
    },
  };
}

const FIRST_PAUSE_MS = 100;

/** One worker for a machine: whoever has this lock is it (L1). */
async function lockMachine(client: pg.Client, machine: MachineId): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    "SELECT pg_try_advisory_lock(hashtextextended('raymond machine ' || $1, 0)) AS locked",
    [machine],
  );
  if (rows[0]?.locked === true) return;
  const { rows: known } = await client.query<{ host: string; pid: number }>(
    "SELECT host, pid FROM raymond.holders WHERE machine = $1 ORDER BY heard_at DESC LIMIT 1",
    [machine],
  );
  throw new MachineTakenError(machine, known[0] ?? null);
}

/** Ends the sessions of holders (L6), but for the one that asks. Their locks are free once it resolves, or a moment later. */
async function endSessions(
  client: pg.Client,
  which: string,
  value: number | MachineId,
): Promise<void> {
  const ending = client.query(
    `SELECT pg_terminate_backend(l.pid, 1000) FROM raymond.holders h JOIN pg_locks l
         ON l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.classid::bigint = h.lock_key >> 32 AND l.objid::bigint = h.lock_key & 4294967295
      WHERE ${which} AND l.pid <> pg_backend_pid()`,
    [value],
  );
  // A session of another user's can be out of reach: then its locks say so.
  await ending.catch(() => undefined);
}

async function register(
  client: pg.Client,
  key: string,
  machine: MachineId,
  { pid, identity, ttlMs }: WorkerIdentity & { readonly ttlMs: number },
): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO raymond.holders (lock_key, machine, host, pid, identity, place)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
    [key, machine, hostname(), pid, identity, JSON.stringify({ ttlMs })],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("a worker was not registered");
  // Those before it on this machine are dead, for there is one worker a machine.
  await client.query("DELETE FROM raymond.holders WHERE machine = $1 AND id <> $2", [
    machine,
    row.id,
  ]);
  return row.id;
}

/** A key that nobody else has, of 63 bits. */
function lockKey(): string {
  return (randomBytes(8).readBigUInt64BE() >> 1n).toString();
}
