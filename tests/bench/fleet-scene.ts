import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { prepareFleet } from "../../src/fleet/admin/fleet.ts";
import { type OpenFleet, openFleetRuns } from "../../src/fleet/admin/open.ts";
import { submit } from "../../src/fleet/queue/submit.ts";
import {
  startTemporaryServer,
  type TemporaryServer,
} from "../../src/fleet/server/temporary-server.ts";
import { type Database, openDatabase } from "../../src/fleet/store/database.ts";
import { startService } from "../../src/process/children/service.ts";
import { type Caller, thisProcess } from "../../src/wire/caller.ts";
import type { TestBed } from "./test-bed.ts";

/** A fleet: the server of `raymond fleet dev`, and worker processes. */
export interface FleetScene {
  readonly url: string;
  readonly database: Database;
  /** The run source of commands. */
  readonly fleet: OpenFleet;
  readonly caller: Caller;
  /** Starts a worker; resolves when it is ready. */
  worker(name: string, ...flags: readonly string[]): Promise<FleetWorker>;
  /** Submits a workflow in this process. */
  submit(workflow: string, how?: { readonly simulate: boolean }): Promise<string>;
  end(): Promise<void>;
}

export interface FleetWorker {
  /** Peak memory, bytes; NaN if the platform does not report it. */
  peak(): Promise<number>;
  /** Its output, to analyze slow results. */
  said(): string;
  end(): Promise<void>;
}

/** Starts a prepared server, with pg_stat_statements if it is installed. */
export async function makeFleetScene(bed: TestBed): Promise<FleetScene> {
  // Optional dependencies that only a fleet loads.
  const modules = path.join(import.meta.dirname, "..", "..", "node_modules");
  const linked = path.join(bed.root, "node_modules");
  if (!existsSync(linked)) await symlink(modules, linked);
  const server = await startServer();
  const database = openDatabase(server.url, { patienceMs: 30_000, name: "bench" });
  await prepareFleet(database);
  const caller = thisProcess({ cwd: path.join(bed.root, "project") });
  const fleet = await openFleetRuns(server.url, caller);
  const workers = new Set<FleetWorker>();
  return {
    url: server.url,
    ...{ database, fleet, caller },
    worker: async (name, ...flags) => {
      const words = ["worker", "--machine", name, "--state-dir", path.join(bed.root, name)];
      const { args, cwd } = bed.raymond(...words, ...flags);
      const env = { ...process.env, RAYMOND_FLEET: server.url };
      const child = spawn(process.execPath, args, {
        cwd,
        env,
        stdio: ["ignore", "ignore", "pipe"],
      });
      const worker = workerOf(child);
      workers.add(worker);
      await worker.ready;
      return worker;
    },
    submit: (workflow, { simulate } = { simulate: false }) =>
      submit({ ...SUBMITTED, workflow, simulate }, fleet, caller),
    end: async () => {
      await Promise.all([...workers].map((worker) => worker.end()));
      await fleet.close();
      await database.close();
      await server.end();
    },
  };
}

/** Time before a stopping worker is killed, ms. Its runs are not needed any more. */
const MOST_END_MS = 10_000;

const SUBMITTED = {
  settings: { debug: false },
  attributes: {},
  input: "",
  id: undefined,
  start: undefined,
  placement: {
    ...{ pool: "default", account: null, pinned: null, failoverAfterMs: 120_000 },
    workspace: { kind: "local", folder: null },
    sessions: { kind: "home" },
  },
} as const;

async function startServer(): Promise<TemporaryServer> {
  const options = {
    start: startService,
    env: process.env as Record<string, string>,
    durable: true,
  };
  const settings = { shared_preload_libraries: "pg_stat_statements" };
  return startTemporaryServer({ ...options, settings }).catch(() => startTemporaryServer(options));
}

function workerOf(child: ChildProcess): FleetWorker & { readonly ready: Promise<void> } {
  let said = "";
  const ended = once(child, "exit");
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
      if (said.includes("Worker ready")) resolve();
    });
    void ended.then(() => {
      reject(new Error(`A worker has ended: ${said}`));
    });
  });
  return {
    ready,
    said: () => said,
    peak: async () => {
      const status = await readFile(`/proc/${String(child.pid)}/status`, "utf8").catch(() => "");
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
    },
    end: async () => {
      child.kill("SIGTERM");
      const killing = setTimeout(() => child.kill("SIGKILL"), MOST_END_MS);
      await ended;
      clearTimeout(killing);
    },
  };
}
