import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type pg from "pg";
import type { Clock } from "../../engine/ports/clock.ts";
import { fleetErrors } from "../errors.ts";
import type { Database } from "../store/database.ts";
import { translateErrors } from "../store/database-failure.ts";
import type { MachineId } from "../store/rows/placement.ts";

/*
 * Worker liveness:
 *
 * L1  A session-level advisory lock on a dedicated connection: the server releases it when the process dies.
 * L2  A heartbeat row, stamped with database time: a hung or partitioned worker stops updating it.
 * L3  A heartbeat counts from the moment before it was sent, by the monotonic clock of the worker.
 * L4  A worker whose lease has expired fences itself permanently: it terminates its steps, and a late
 *     heartbeat has no effect.
 * L5  A lost connection does not lose the lease: one loop reconnects, with exponential backoff and jitter,
 *     until L4. If another worker has acquired the lock by then, the lease is lost.
 * L6  The server may keep the session of a dead connection, and its locks, for hours, for example if a router
 *     has dropped the connection. So a worker that reconnects terminates its old session, and a worker that
 *     starts terminates those of dead workers of its machine.
 */

/** Default lease duration, ms. Other workers may claim a worker's runs once it expires. */
export const LEASE_TTL_MS = 30_000;

const HEARTBEATS_PER_LEASE = 6;

/** A worker gives up its runs this fraction of the lease before others may claim them. */
const SAFETY_MARGIN = 1 / 6;

/** Whether a worker whose last heartbeat was sent then must fence itself (L4). Monotonic times, ms. */
export function isExpired(lastHeartbeat: number, now: number, ttlMs: number): boolean {
  return now - lastHeartbeat > trustedMs(ttlMs);
}

/** How long a worker trusts its lease after a heartbeat, ms. */
function trustedMs(ttlMs: number): number {
  return ttlMs * (1 - SAFETY_MARGIN);
}

/** The exclusive right of a worker to act as a machine. */
export interface Lease {
  /** The id of this worker in `raymond.holders`. */
  readonly holder: number;
  /** Aborts when the lease is lost. The reason is a sentence for the log. */
  readonly lost: AbortSignal;
  /** Releases the lease. The time of the last heartbeat stays visible. Idempotent, never rejects. */
  end(): Promise<void>;
}

export interface LeaseOptions {
  readonly database: Pick<Database, "connect" | "address">;
  readonly clock: Clock;
  readonly ttlMs: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Called after each heartbeat with the time until the lease expires without another one, ms. */
  readonly onRenewed?: (leftMs: number) => void;
}

/** How a worker is identified in `raymond.holders`. */
export interface WorkerIdentity {
  readonly pid: number;
  readonly identity: string;
}

/** Acquires the lease of a machine. Rejects with `fleet/machine-taken` if another worker has it. */
export async function acquireLease(
  machine: MachineId,
  worker: WorkerIdentity,
  options: LeaseOptions,
): Promise<Lease> {
  const { database, clock, ttlMs } = options;
  const key = lockKey();
  const client = await database.connect();
  const acquiredAt = clock.elapsed();
  const acquire = async () => {
    await endSessions(client, "h.machine = $1 AND NOT raymond.is_alive(h)", machine);
    await lockMachine(client, machine);
    await client.query("SELECT pg_advisory_lock($1)", [key]);
    return register(client, key, machine, { ...worker, ttlMs });
  };
  try {
    const holder = await translateErrors(database.address, acquire());
    return new HeldLease({ machine, key, holder, client, acquiredAt }, options);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

interface Acquired {
  readonly machine: MachineId;
  /** Key of the advisory lock of this worker (L1). */
  readonly key: string;
  readonly holder: number;
  readonly client: pg.Client;
  readonly acquiredAt: number;
}

class HeldLease implements Lease {
  readonly holder: number;
  readonly #acquired: Acquired;
  readonly #options: LeaseOptions;
  readonly #heartbeatMs: number;
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  readonly #loops: Promise<unknown>;
  #client: pg.Client;
  #lastHeartbeat: number;

  constructor(acquired: Acquired, options: LeaseOptions) {
    this.holder = acquired.holder;
    this.#acquired = acquired;
    this.#options = options;
    this.#heartbeatMs = options.ttlMs / HEARTBEATS_PER_LEASE;
    this.#client = acquired.client;
    this.#lastHeartbeat = acquired.acquiredAt;
    this.#loops = Promise.all([this.#keepAlive(), this.#watchExpiry()]);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async end(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    await this.#loops;
    await this.#client.end().catch(() => undefined);
  }

  get #isDone(): boolean {
    return this.#lost.signal.aborted || this.#ended.signal.aborted;
  }

  get #isExpired(): boolean {
    const { clock, ttlMs } = this.#options;
    return isExpired(this.#lastHeartbeat, clock.elapsed(), ttlMs);
  }

  #lose(reason: string): void {
    if (!this.#isDone) this.#lost.abort(reason);
  }

  async #keepAlive(): Promise<void> {
    const { clock, random } = this.#options;
    // Stops on expiry: `#watchExpiry` needs its turn to report that.
    while (!this.#isDone && !this.#isExpired) {
      try {
        await this.#sendHeartbeat();
        await clock.sleep(this.#heartbeatMs * (0.8 + 0.2 * random()), this.#ended.signal);
      } catch {
        await this.#reconnect();
      }
    }
  }

  async #sendHeartbeat(): Promise<void> {
    const { clock, ttlMs, onRenewed } = this.#options;
    const sentAt = clock.elapsed();
    const { rowCount } = await this.#client.query({
      text: "UPDATE raymond.holders SET heartbeat_at = clock_timestamp() WHERE id = $1",
      values: [this.holder],
      // Leaves enough time to reconnect.
      ...({ query_timeout: ttlMs / 2 } as object),
    });
    if (rowCount === 0) {
      this.#lose("Its lease has expired, and another process has removed it.");
      return;
    }
    this.#lastHeartbeat = sentAt;
    onRenewed?.(trustedMs(ttlMs) - (clock.elapsed() - sentAt));
  }

  async #reconnect(): Promise<void> {
    const { database, clock, random } = this.#options;
    void this.#client.end().catch(() => undefined);
    let pause = FIRST_PAUSE_MS;
    while (!this.#isDone && !this.#isExpired) {
      await clock.sleep(pause * (0.5 + random()), this.#ended.signal);
      pause = Math.min(2 * pause, this.#heartbeatMs);
      const client = await database.connect().catch(() => null);
      if (client !== null && (await this.#relock(client))) return;
    }
  }

  /** False if the server has not ended the old session yet. */
  async #relock(client: pg.Client): Promise<boolean> {
    const { machine, key } = this.#acquired;
    try {
      await endSessions(client, "h.id = $1", this.holder);
      await lockMachine(client, machine);
      await client.query("SELECT pg_advisory_lock($1)", [key]);
      this.#client = client;
      return true;
    } catch {
      await client.end().catch(() => undefined);
      return false;
    }
  }

  async #watchExpiry(): Promise<void> {
    const { clock, ttlMs } = this.#options;
    while (!this.#isDone) {
      if (this.#isExpired)
        this.#lose("Its heartbeats do not reach the database: other workers may claim its runs.");
      else await clock.sleep(ttlMs / 20, this.#ended.signal);
    }
  }
}

const FIRST_PAUSE_MS = 100;

/** Acquires the lock that only one worker of a machine can have (L1). */
async function lockMachine(client: pg.Client, machine: MachineId): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    "SELECT pg_try_advisory_lock(hashtextextended('raymond machine ' || $1, 0)) AS locked",
    [machine],
  );
  if (rows[0]?.locked === true) return;
  const { rows: holders } = await client.query<{ host: string; pid: number }>(
    "SELECT host, pid FROM raymond.holders WHERE machine = $1 ORDER BY heartbeat_at DESC LIMIT 1",
    [machine],
  );
  throw fleetErrors["fleet/machine-taken"](machine, holders[0] ?? null);
}

/** Terminates the sessions of holders (L6) except this one. Their locks are free when it resolves, or a moment later. */
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
  // Sessions of another database user cannot be terminated. Then acquiring the lock fails.
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
  // Earlier workers of this machine are dead, because this one has the lock.
  await client.query("DELETE FROM raymond.holders WHERE machine = $1 AND id <> $2", [
    machine,
    row.id,
  ]);
  return row.id;
}

/** A random key of 63 bits. */
function lockKey(): string {
  return (randomBytes(8).readBigUInt64BE() >> 1n).toString();
}
