import { onTestFinished } from "vitest";
import { type Running, start } from "../support/cli.ts";
import { type PostgresProxy, postgresProxy } from "../support/postgres-proxy.ts";
import type { Project } from "../support/project.ts";
import { CHAOS_MAIN } from "./place.ts";

/** A machine of a fleet whose worker is started again whenever it ends, as systemd does it. */
export interface Machine {
  readonly id: string;
  readonly way: PostgresProxy;
  /** How it ended, each time. */
  readonly ends: readonly string[];
  kill(signal: NodeJS.Signals): void;
  /** What all its workers have said. */
  said(): string;
}

/** For so long a worker may be silent, ms. */
export const TTL_MS = 4_000;

/** Starts a machine, which ends with the test. */
export async function startMachine(id: string, url: string, project: Project): Promise<Machine> {
  const way = await postgresProxy(url);
  const ends: string[] = [];
  const words = ["worker", "--machine", id, "--state-dir", id, "--slots", "6"];
  const timing = ["--poll", "200ms", "--ttl", `${String(TTL_MS)}ms`];
  const env = { ...project.env, RAYMOND_FLEET: way.url };
  const launch = () =>
    start([...words, ...timing], { project, env, main: CHAOS_MAIN, timeoutMs: 3_000_000 });
  let running: Running = launch();
  const over = new AbortController();
  const isOver = () => over.signal.aborted;
  let said = "";
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      const { exitCode, signal, stderr } = await running.exit;
      ends.push(signal ?? String(exitCode));
      said += `${stderr}(${signal ?? String(exitCode)})\n`;
      // Whoever cannot begin, as the database is away, tries again as a unit does.
      await new Promise((resolve) => setTimeout(resolve, 300));
      if (isOver()) return;
      running = launch();
    }
  };
  const watching = watch();
  onTestFinished(async () => {
    over.abort();
    running.kill("SIGCONT");
    running.kill("SIGTERM");
    await watching;
  });
  return {
    id,
    way,
    ends,
    kill: (signal) => {
      running.kill(signal);
    },
    said: () => said,
  };
}
