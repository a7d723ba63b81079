import type pg from "pg";
import type { DatabaseAddress } from "./address.ts";
import { loadPg } from "./packages.ts";

/**
 * Connections for the library that keeps the queues. It would wait for an answer for ever: one that does not
 * come in time closes its connection, as where a router has forgotten that, and the library asks again on
 * another. Whoever opens them ends them.
 */
export function libraryPool(
  address: DatabaseAddress,
  config: pg.PoolConfig,
  warn: (line: string) => void,
  answerMs = ANSWER_MS,
): pg.Pool {
  const { Pool } = loadPg();
  // The library ends only connections of its own: those that nobody uses must not keep a process from ending.
  const pool = new Pool({ ...config, connectionString: address.url, allowExitOnIdle: true });
  pool.on("error", (error) => {
    warn(`Unexpected error in pool: ${error.message}`);
  });
  pool.on("connect", (client) => {
    endUnanswered(client, answerMs);
  });
  return pool;
}

/** Until an answer comes, ms: as long as raymond's own questions wait for one. */
const ANSWER_MS = 15_000;

type Ask = (...asked: readonly unknown[]) => unknown;

function endUnanswered(client: pg.PoolClient, ms: number): void {
  const ask = client.query.bind(client) as Ask;
  const query: Ask = (...asked) => {
    const late = setTimeout(() => {
      // What is asked on it then rejects.
      void (client as unknown as pg.Client).end().catch(() => undefined);
    }, ms);
    const answered = () => {
      clearTimeout(late);
    };
    const last = asked.at(-1);
    if (typeof last === "function") {
      const told = (...answer: readonly unknown[]): unknown => {
        answered();
        return (last as Ask)(...answer);
      };
      return ask(...asked.slice(0, -1), told);
    }
    const asking = ask(...asked) as Promise<unknown>;
    asking.then(answered, answered);
    return asking;
  };
  Object.assign(client, { query });
}
