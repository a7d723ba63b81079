import type { Cancellation } from "./cancellation.ts";
import type { Leftovers } from "./leftovers.ts";

/** One child process to run to its end. */
export interface ProcessCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited besides. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, then end of file; null: standard input is empty. */
  readonly input: string | null;
  /** Whose it is, where that is not the user of this process: only root may give another one. */
  readonly user?: UnixUser;
  /** Its outputs can be opened by name, as `tee /dev/stderr` does: for what people write. */
  readonly reopenable?: boolean;
  /** Called once it runs; on Unix its pid is also the id of its process group. */
  onStart?(pid: number): void;
  /** Windows: the arguments are one command line, which is passed on as it stands. */
  readonly verbatim?: boolean;
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  /** Value of {@link TOKEN_VARIABLE} in `env`: after a forced end all that carry it are killed. */
  readonly token: string;
  readonly cancellation: Pick<Cancellation, "interrupt" | "kill">;
}

/** How a process ended, as facts. */
export interface ProcessEnd {
  /** Null when it was ended by a signal, or never ran. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The code of the error (`ENOENT`, `EACCES` …) when the process could not be started. */
  readonly spawnError: { readonly code: string; readonly message: string } | null;
  /** True when raymond signalled it: a cancellation, or {@link RunningProcess.end}. */
  readonly ended: boolean;
  /** Wall clock, ms. */
  readonly durationMs: number;
  /**
   * A background child still held the pipes one second after the exit
   * (docs/authoring.md, "Scripts").
   */
  readonly leftOpen: boolean;
  /** Why something that it has started may live although it was ended, for people. */
  readonly mayLive?: string;
}

/** A process that runs. */
export interface RunningProcess {
  readonly done: Promise<ProcessEnd>;
  /** Ends it by the signals of docs/claude.md, "How long raymond waits". Idempotent. */
  end(): void;
}

export type StartProcess = (call: ProcessCall) => RunningProcess;

/** A process that serves until it is ended. */
export interface ServiceCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited besides. */
  readonly env: Readonly<Record<string, string>>;
  /** Whose it is; null: that of this process. Only root may give another one. */
  readonly user: UnixUser | null;
  /** What it tells on standard error, in pieces. */
  onStderr(text: string): void;
}

/** A user of a Unix system, by numbers. */
export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

/** A service that was started. Its standard input is a pipe that ends with this process at the latest. */
export interface RunningService {
  /** How it has ended: its exit code, null after a signal; rejects where it could not be started. */
  readonly ended: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  /** Writes to its standard input. What it does not read any more is lost. */
  write(text: string): void;
  /** Ends its standard input. */
  endInput(): void;
}

export type StartService = (call: ServiceCall) => RunningService;

/** A process that is known beyond its pid. */
export interface KnownProcess {
  readonly pid: number;
  /** What {@link ProcessHost.identify} has said of it. */
  readonly identity: string;
}

/** What came of a signal to another process. */
export type SignalAnswer =
  | "sent"
  | "gone"
  /** It belongs to another user. */
  | "not-permitted"
  /** Its identity is its pid alone, which may mean another process by now: it was not signalled. */
  | "only-pid";

/**
 * The processes of this machine. Where platforms differ in them, they differ
 * behind this: how a child is started and ended, what names a process beyond its
 * pid, how another one is told something, and how those that live on are found.
 */
export interface ProcessHost {
  /** Runs a child to its end, however that comes. */
  readonly start: StartProcess;
  /** Names a living process for ever; null for one that is dead. `known` is the name that it had. */
  readonly identify: (pid: number, known: string | null) => Promise<string | null>;
  /** Sends a signal to a process that has been looked up right before. */
  readonly signal: (to: KnownProcess, signal: NodeJS.Signals) => Promise<SignalAnswer>;
  /** A start that writes down in the folder `groups` what lives of each step. What the disk refuses is not written. */
  readonly recording: (start: StartProcess, groups: string) => StartProcess;
  /**
   * What outlives the steps that are written down there. Where none of it can be older
   * than a process, its pid as the `elder` saves most of the work. `epoch`: of the claim of the run;
   * null where claims have none.
   */
  readonly leftovers: (groups: string, elder?: number | null, epoch?: number | null) => Leftovers;
}

/** The environment variable that marks every process of a run, so that leftovers can be found. */
export const TOKEN_VARIABLE = "RAYMOND_STEP_TOKEN";
