import { onTestFinished } from "vitest";
import { type Running, start } from "../support/cli.ts";
import { type PostgresProxy, postgresProxy } from "../support/postgres-proxy.ts";
import type { Project } from "../support/project.ts";
import { CHAOS_MAIN } from "./place.ts";

/** A machine of a fleet whose worker is started again whenever it ends, as systemd does it. */
export interface Machine {
  readonly id: string;
  readonly way: PostgresProxy;
  /** Its workers, one after the other. */
  readonly lives: readonly Life[];
  readonly kill: (signal: NodeJS.Signals) => void;
  /** What all its workers have said. */
  readonly said: () => string;
  /** Ends it: its worker goes on with nothing more, and is not started again. */
  readonly end: () => Promise<void>;
}

/** One worker of a machine. */
export interface Life {
  readonly pid: number;
  /** A signal, or the exit code; null while it lives. */
  how: string | null;
  /** Epoch ms; null while it lives. */
  endedAt: number | null;
}

/** For so long a worker may be silent, ms. */
export const TTL_MS = 4_000;

/** Starts a machine, which ends with the test. */
export async function startMachine(
  id: string,
  url: string,
  project: Project,
  more: Readonly<Record<string, string>>,
): Promise<Machine> {
  const way = await postgresProxy(url);
  const lives: Life[] = [];
  const words = ["worker", "--machine", id, "--state-dir", id, "--slots", "6"];
  const others = ["--accounts", `${id}.toml`, "--poll", "200ms", "--ttl", `${String(TTL_MS)}ms`];
  const env = { ...project.env, ...more, RAYMOND_FLEET: way.url };
  const launch = (): [Running, Life] => {
    const running = start([...words, ...others], {
      ...{ project, env, main: CHAOS_MAIN, timeoutMs: 3_000_000 },
    });
    const life: Life = { pid: running.pid, how: null, endedAt: null };
    lives.push(life);
    return [running, life];
  };
  let [running, life] = launch();
  const over = new AbortController();
  const isOver = () => over.signal.aborted;
  let said = "";
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      const { exitCode, signal, stderr } = await running.exit;
      life.how = signal ?? String(exitCode);
      life.endedAt = Date.now();
      said += `${stderr}(${life.how})\n`;
      // Whoever cannot begin, as the database is away, tries again as a unit does.
      await new Promise((resolve) => setTimeout(resolve, 300));
      if (isOver()) return;
      [running, life] = launch();
    }
  };
  const watching = watch();
  const end = async () => {
    over.abort();
    running.kill("SIGCONT");
    running.kill("SIGTERM");
    await watching;
    way.close();
  };
  onTestFinished(end);
  return {
    ...{ id, way, lives, end },
    kill: (signal) => {
      running.kill(signal);
    },
    said: () => said,
  };
}
