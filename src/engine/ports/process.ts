import type { Cancellation } from "./cancellation.ts";
import type { OrphanProcesses } from "./orphans.ts";

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A child process to run to its end. */
export interface ProcessCall extends Command {
  /** Written to standard input, followed by end of file; null: standard input is empty. */
  readonly input: string | Buffer | null;
  /** The user of the child, if another one. Requires root. */
  readonly user?: UnixUser;
  /** Outputs can be opened by name, as `tee /dev/stderr` does. For scripts. */
  readonly reopenable?: boolean;
  /** Called after the start. On Unix the pid is also the id of its process group. */
  onStart?(pid: number): void;
  /**
   * The command is this program and runs a container whose name follows from `token`: it is removed
   * with the process.
   */
  readonly container?: "podman" | "docker";
  /** Windows: the arguments form one command line, which is passed on unchanged. */
  readonly verbatim?: boolean;
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  /** Value of {@link TOKEN_VARIABLE} in `env`. A forced end kills all processes that carry it. */
  readonly token: string;
  readonly cancellation: Pick<Cancellation, "interrupt" | "kill">;
}

export interface ProcessEnd {
  /** Null after a signal, or if the process was not started. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The error code (`ENOENT`, `EACCES` …) if the process could not be started. */
  readonly spawnError: { readonly code: string; readonly message: string } | null;
  /** Raymond signalled the process: a cancellation, or {@link RunningProcess.end}. */
  readonly endedByRaymond: boolean;
  /** Wall clock, ms. */
  readonly durationMs: number;
  /**
   * A background child still held the pipes one second after the exit (docs/authoring.md,
   * "Scripts").
   */
  readonly leftOpen: boolean;
  /** A warning that child processes may have survived the forced end. */
  readonly survivors?: string;
}

export interface RunningProcess {
  readonly done: Promise<ProcessEnd>;
  /** Ends the process by the signals of docs/claude.md, "Timeouts". Idempotent. */
  end(): void;
}

export type StartProcess = (call: ProcessCall) => RunningProcess;

/** A long-running child process. */
export interface ServiceCall extends Command {
  /** The user of the child; null: the current one. Requires root. */
  readonly user: UnixUser | null;
  /** Receives pieces of standard error. */
  onStderr(text: string): void;
}

/** A Unix user, by numeric ids. */
export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

/** A running service. Its standard input is a pipe that closes at the latest with this process. */
export interface RunningService {
  /** The exit code, null after a signal. Rejects if the service could not be started. */
  readonly ended: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  /** Writes to its standard input. Unread text is lost. */
  write(text: string): void;
  endInput(): void;
}

export type StartService = (call: ServiceCall) => RunningService;

/** A process that is identified beyond its pid. */
export interface ProcessRef {
  readonly pid: number;
  /** From {@link ProcessHost.identify}. */
  readonly identity: string;
}

export type SignalResult =
  | "sent"
  | "gone"
  /** The process belongs to another user. */
  | "not-permitted"
  /** Not signalled: its identity is only a pid, which another process may have reused. */
  | "only-pid";

/**
 * The processes of this machine. Hides platform differences: starting and ending a child,
 * identifying a process beyond its pid, signals, and finding orphans.
 */
export interface ProcessHost {
  /** Runs a child to its end. */
  readonly start: StartProcess;
  /**
   * A permanent identity of a living process; null for a dead one. `known`: its identity from
   * before.
   */
  readonly identify: (pid: number, known: string | null) => Promise<string | null>;
  /** Sends a signal to a process that was identified right before. */
  readonly signal: (to: ProcessRef, signal: NodeJS.Signals) => Promise<SignalResult>;
  /**
   * Wraps `start` so that the live processes of each step are recorded in the folder `groups`.
   * Write errors are ignored.
   */
  readonly recordSteps: (start: StartProcess, groups: string) => StartProcess;
  /**
   * The orphans of the steps that are recorded in `groups`. `oldest`: pid of a process that is
   * older than all of them, which saves most of the work. `epoch`: of the run's claim; null where
   * claims have none.
   */
  readonly orphans: (
    groups: string,
    elder?: number | null,
    epoch?: number | null,
  ) => OrphanProcesses;
}

/** The environment variable that marks every process of a run, so that orphans can be found. */
export const TOKEN_VARIABLE = "RAYMOND_STEP_TOKEN";
