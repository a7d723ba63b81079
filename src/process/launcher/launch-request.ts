import { closeSync, constants, openSync } from "node:fs";
import type { ChildExit, StartedChild } from "../children/started-child.ts";
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

/** A process that was started by the launcher. */
type Launched = Pick<StartedChild, "pid" | "exit" | "exited" | "signal" | "unref">;

export type LaunchResult =
  | { readonly kind: "started"; readonly process: Launched; readonly outputs: Outputs }
  /** The error code of the system, such as EAGAIN. */
  | { readonly kind: "failed"; readonly code: string }
  /** There is no launcher, or it ended before the process executed anything. */
  | { readonly kind: "unavailable" };

/** The read ends of standard output and standard error. The caller closes them. */
export type Outputs = readonly [number, number];

/** Opens descriptors of the launcher. Throws as `open` does. */
export function openOutputs(folder: string, [stdout, stderr]: Outputs): Outputs {
  const open = (end: number) =>
    openSync(`${folder}/${String(end)}`, constants.O_RDONLY | constants.O_NONBLOCK);
  const opened = open(stdout);
  try {
    return [opened, open(stderr)];
  } catch (error) {
    closeSync(opened);
    throw error;
  }
}

export function closeOutputs(outputs: Outputs): void {
  for (const output of outputs) closeSync(output);
}

/** A process that the launcher is starting or has started. */
export class LaunchRequest implements Launched {
  /** 0 while there is no process. */
  pid = 0;
  readonly call: LaunchCall;
  readonly exited: Promise<void>;
  readonly #settle: (result: LaunchResult) => void;
  readonly #launcher: Pick<StartedChild, "signal"> & { readonly release: () => void };
  #onExit: () => void = () => undefined;
  #exit: ChildExit | null = null;
  #isHeld = true;
  #outputs: Outputs | null = null;

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

  assign({ pid, outputs }: { readonly pid: number; readonly outputs: Outputs }): void {
    this.pid = pid;
    this.#outputs = outputs;
  }

  start(): void {
    if (this.#outputs === null) throw new Error("No process was assigned");
    this.#settle({ kind: "started", process: this, outputs: this.#outputs });
  }

  /** It executes nothing. */
  fail(result: LaunchResult): void {
    if (this.#outputs !== null) closeOutputs(this.#outputs);
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

  /** Without its launcher the exit of the process could not be observed. */
  async kill(): Promise<void> {
    const found = await findStepProcesses(procTable, this.call.token, null);
    await endProcesses(procTable, found, { graceMs: 0 });
    this.end({ exitCode: null, signal: "SIGKILL" });
  }
}
