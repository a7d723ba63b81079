import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type Running, start } from "../../support/cli.ts";
import { type PostgresProxy, postgresProxy } from "../../support/fleet/postgres-proxy.ts";
import type { Project } from "../../support/project.ts";
import { CHAOS_MAIN } from "../place.ts";

/** A machine of a fleet whose worker is restarted whenever it ends, as systemd does. */
export interface Machine {
  readonly id: string;
  readonly proxy: PostgresProxy;
  /** Its consecutive workers. */
  readonly lives: readonly Life[];
  /** Signals the worker. In a PID namespace, stop and continue go to all processes, as when a container is paused. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Output of all its workers. */
  readonly said: () => string;
  /** Stops the worker without a restart. */
  readonly end: () => Promise<void>;
}

/** One worker of a machine. */
export interface Life {
  /** Value of {@link LIFE} in the environment of its clients. */
  readonly name: string;
  /** A signal or an exit code; null while it is alive. */
  how: string | null;
  /** Epoch ms; null while it is alive. */
  endedAt: number | null;
}

/** Identifies the worker in its clients: process ids are ambiguous across PID namespaces. */
export const LIFE = "RAYMOND_CHAOS_LIFE";

/** Lease duration, ms. */
export const TTL_MS = 4_000;

export interface MachineOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Run the worker in a PID namespace, as in a container. */
  readonly ownProcesses?: boolean;
}

/** Starts a machine. It is stopped after the test. */
export async function startMachine(
  id: string,
  url: string,
  project: Project,
  { env: more, ownProcesses = false }: MachineOptions,
): Promise<Machine> {
  const way = await postgresProxy(url);
  const lives: Life[] = [];
  const words = ["worker", "--machine", id, "--state-dir", id, "--slots", "6"];
  const others = ["--accounts", `${id}.toml`, "--poll", "200ms", "--ttl", `${String(TTL_MS)}ms`];
  const env = { ...project.env, ...more, RAYMOND_FLEET: way.url };
  const launch = (): [Running, Life] => {
    const name = `${id}-${String(lives.length)}`;
    const running = start([...words, ...others], {
      ...{ project, main: CHAOS_MAIN, timeoutMs: 3_000_000 },
      env: { ...env, [LIFE]: name },
      ...(ownProcesses && { within: OWN_PROCESSES }),
    });
    const life: Life = { name, how: null, endedAt: null };
    lives.push(life);
    return [running, life];
  };
  const signal = (name: NodeJS.Signals): boolean => {
    if (ownProcesses) return signalNamespace(running.pid, name);
    running.kill(name);
    return true;
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
      // A worker that cannot start because the database is unavailable is restarted.
      await new Promise((resolve) => setTimeout(resolve, 300));
      if (isOver()) return;
      [running, life] = launch();
    }
  };
  const watching = watch();
  const end = async () => {
    over.abort();
    signal("SIGCONT");
    // A new worker may have no child process yet.
    while (!signal("SIGTERM") && lives.at(-1)?.how === null) await delay(100);
    await watching;
    way.close();
  };
  onTestFinished(end);
  return {
    ...{ id, proxy: way, lives, end },
    kill: (name) => void signal(name),
    said: () => said,
  };
}

/**
 * Starts the worker as child of a shell, which is process 1 of a PID namespace: process 1 has no default signal
 * actions and must reap orphans.
 */
const OWN_PROCESSES = [
  ...["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"],
  ...["bash", "-c", '"$@" & wait $!; exit $?', "bash"],
];

/** Signals the worker in a PID namespace. SIGSTOP and SIGCONT go to all processes. */
function signalNamespace(unshare: number, signal: NodeJS.Signals): boolean {
  const below = (pid: number): readonly number[] => {
    const children = childrenOf(pid);
    return [...children, ...children.flatMap(below)];
  };
  const [first] = childrenOf(unshare);
  if (first === undefined) return false;
  const all = signal === "SIGSTOP" || signal === "SIGCONT";
  const pids = all ? below(first) : childrenOf(first).slice(0, 1);
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended in the meantime.
    }
  }
  return pids.length > 0;
}

/** The children of a process, oldest first. */
function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8");
    return text
      .split(" ")
      .filter((word) => word.trim() !== "")
      .map(Number);
  } catch {
    return [];
  }
}
