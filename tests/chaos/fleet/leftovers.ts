import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Database } from "../../../src/fleet/store/database.ts";
import type { Project } from "../../support/project.ts";
import { until } from "../../support/until.ts";
import type { Machine } from "./machine.ts";

/** Queries that must return no rows when all runs have ended and workers are alive. */
const IDLE: Readonly<Record<string, string>> = {
  "in the queues": `SELECT workflow_uuid, status, executor_id, queue_name FROM dbos.workflow_status
    WHERE status IN ('ENQUEUED', 'DELAYED', 'PENDING')`,
  "slots of accounts": `SELECT s.* FROM raymond.slots s JOIN raymond.holders h ON h.id = s.holder WHERE raymond.is_alive(h)`,
  "let in": `SELECT r.id FROM raymond.runs r JOIN raymond.holders h ON h.id = r.admitted_by WHERE raymond.is_alive(h)`,
  waiters: `SELECT w.* FROM raymond.waiters w`,
  "control requests": `SELECT w.run, w.request FROM raymond.control_requests w`,
  held: `SELECT r.id, r.holder FROM raymond.runs r WHERE r.holder IS NOT NULL`,
};

/** Queries that must return no rows when all workers have ended. */
const ENDED: Readonly<Record<string, string>> = {
  connections: `SELECT application_name, state, query FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> 'the test'`,
  "holders beside the machines'": `SELECT h.* FROM raymond.holders h
    WHERE NOT EXISTS (SELECT 1 FROM raymond.machines m WHERE m.holder = h.id)`,
};

/** Ends the machines and returns everything that is left behind, one line each. */
export async function findLeftovers(
  database: Database,
  machines: readonly Machine[],
  project: Project,
  temp: string,
): Promise<readonly string[]> {
  const idle = await leftIn(database, IDLE);
  await Promise.all(machines.map(({ end }) => end()));
  const ended = await leftIn(database, ENDED);
  const processes = await until(
    "processes to end",
    async () => ((await project.orphans()).length === 0 ? ([] as const) : undefined),
    SOON_MS,
  ).catch(() => project.orphans());
  const folders = await readdir(temp);
  const halves = (await project.list(".")).filter((file) => /\.(?:tmp|new)$/.test(file));
  return [
    ...[...idle, ...ended],
    ...processes.map(({ pid, command }) => `process ${String(pid)}: ${command}`),
    ...folders.map((name) => `in the folder for temporary files: ${path.join(temp, name)}`),
    ...halves.map((file) => `half a file: ${file}`),
  ];
}

/** Rows that do not disappear in time. */
async function leftIn(
  database: Database,
  questions: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(questions).map(async ([what, sql]) => {
      const none = async () =>
        (await database.query(sql)).length === 0 ? ([] as const) : undefined;
      return until(what, none, SOON_MS).catch(async () => {
        const rows = await database.query(sql);
        return rows.map((row) => `${what}: ${JSON.stringify(row)}`);
      });
    }),
  );
  return found.flat();
}

/** Workers clean up several times in this time, ms. */
const SOON_MS = 20_000;
