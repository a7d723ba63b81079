import type { ChildExit, Output, StartedChild } from "../children/started-child.ts";
import { endProcesses, findStepProcesses } from "../find-processes.ts";
import { procTable } from "../platform/proc-table.ts";

export interface LaunchCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Identifies the process and its descendants if the launcher is killed. */
  readonly token: string;
}

export type LaunchResult =
  | { readonly kind: "started"; readonly child: StartedChild }
  /** The error code of the system, such as EAGAIN. */
  | { readonly kind: "failed"; readonly code: string }
  /** There is no launcher, or it ended before the process executed anything. */
  | { readonly kind: "unavailable" };

/** A process that the launcher is starting or has started. */
export class LaunchRequest implements StartedChild {
  /** 0 while there is no process. */
  pid = 0;
  /** The launcher's number of the process. */
  id = 0;
  readonly call: LaunchCall;
  readonly stdin = null;
  readonly stdout = new LaunchedOutput();
  readonly stderr = new LaunchedOutput();
  readonly exited: Promise<void>;
  readonly #settle: (result: LaunchResult) => void;
  readonly #launcher: Pick<StartedChild, "signal"> & { readonly release: () => void };
  #onExit: () => void = () => undefined;
  #exit: ChildExit | null = null;
  #isHeld = true;

  constructor(
    call: LaunchCall,
    settle: (result: LaunchResult) => void,
    launcher: Pick<StartedChild, "signal"> & { readonly release: () => void },
  ) {
    this.call = call;
    this.#settle = settle;
    this.#launcher = launcher;
    this.exited = new Promise((resolve) => {
      this.#onExit = resolve;
    });
  }

  assign({ id, pid }: { readonly id: number; readonly pid: number }): void {
    this.id = id;
    this.pid = pid;
  }

  start(): void {
    this.#settle({ kind: "started", child: this });
  }

  /** It executes nothing. */
  fail(result: LaunchResult): void {
    this.unref();
    this.#settle(result);
  }

  readonly exit = (): ChildExit | null => this.#exit;

  readonly signal: StartedChild["signal"] = (signal, to) => {
    if (this.#exit === null) this.#launcher.signal(signal, to);
  };

  readonly unref = (): void => {
    if (this.#isHeld) this.#launcher.release();
    this.#isHeld = false;
  };

  end(exit: ChildExit): void {
    this.#exit = exit;
    this.unref();
    this.#onExit();
  }

  /** Whether neither an exit nor output is to come. */
  get isOver(): boolean {
    return this.#exit !== null && this.stdout.isClosed && this.stderr.isClosed;
  }

  /** Without its launcher the exit of the process could not be observed. */
  async kill(): Promise<void> {
    // While it calls execve, its environment is not readable.
    const found = await findStepProcesses(procTable, this.call.token, this.pid);
    await endProcesses(procTable, found, { graceMs: 0 });
    if (this.#exit === null) this.end({ exitCode: null, signal: "SIGKILL" });
    this.stdout.close();
    this.stderr.close();
  }
}

/** An output that the launcher reads. */
class LaunchedOutput implements Output {
  isClosed = false;
  readonly closed: Promise<void>;
  /** What has arrived before there is a reader. */
  #early: Buffer[] = [];
  #onChunk: ((chunk: Buffer) => void) | null = null;
  #onClose: () => void = () => undefined;

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#onClose = resolve;
    });
  }

  push(chunk: Buffer): void {
    if (this.#onChunk === null) this.#early.push(chunk);
    else this.#onChunk(chunk);
  }

  close(): void {
    this.isClosed = true;
    this.#onClose();
  }

  read(onChunk: (chunk: Buffer) => void): void {
    this.#onChunk = onChunk;
    for (const chunk of this.#early.splice(0)) onChunk(chunk);
  }

  discard(): void {
    this.#onChunk = () => undefined;
  }
}
