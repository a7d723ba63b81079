import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
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
  /** Signals the worker; where the machine has a PID namespace of its own, every process there, as a container is paused. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** What all its workers have said. */
  readonly said: () => string;
  /** Ends it: its worker goes on with nothing more, and is not started again. */
  readonly end: () => Promise<void>;
}

/** One worker of a machine. */
export interface Life {
  /** What the clients that it starts find as {@link LIFE} in their environment. */
  readonly name: string;
  /** A signal, or the exit code; null while it lives. */
  how: string | null;
  /** Epoch ms; null while it lives. */
  endedAt: number | null;
}

/** Names the worker to its clients: a process id means nothing outside of its PID namespace. */
export const LIFE = "RAYMOND_CHAOS_LIFE";

/** For so long a worker may be silent, ms. */
export const TTL_MS = 4_000;

/** What a machine has of its own. */
export interface MachineOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Its processes see no others, and all of them end with its worker, as in a container. */
  readonly ownProcesses?: boolean;
}

/** Starts a machine, which ends with the test. */
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
      // Whoever cannot begin, as the database is away, tries again as a unit does.
      await new Promise((resolve) => setTimeout(resolve, 300));
      if (isOver()) return;
      [running, life] = launch();
    }
  };
  const watching = watch();
  const end = async () => {
    over.abort();
    signal("SIGCONT");
    // One that was started just now may have no process there yet.
    while (!signal("SIGTERM") && lives.at(-1)?.how === null) await delay(100);
    await watching;
    way.close();
  };
  onTestFinished(end);
  return {
    ...{ id, way, lives, end },
    kill: (name) => void signal(name),
    said: () => said,
  };
}

/**
 * Starts the worker as the child of a shell that is the first process of a PID namespace: a first process has no
 * default actions for signals, and must reap what its descendants leave.
 */
const OWN_PROCESSES = [
  ...["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"],
  ...["bash", "-c", '"$@" & wait $!; exit $?', "bash"],
];

/** Signals the worker below an {@link OWN_PROCESSES}; a stop and its end go to all processes there. */
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
      // It has ended meanwhile.
    }
  }
  return pids.length > 0;
}

/** The children of a process, the oldest first. */
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
