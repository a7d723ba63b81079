import { closeSync, constants, openSync } from "node:fs";
import type { ChildExit, StartedChild } from "../children/started-child.ts";
import { endProcesses, findStepProcesses } from "../find-processes.ts";
import { procTable } from "../platform/proc-table.ts";

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

/** A process that the launcher is starting or has started. */
export class LaunchRequest implements Launched {
  /** 0 while there is no process. */
  pid = 0;
  readonly exited: Promise<void>;
  readonly #settle: (result: LaunchResult) => void;
  readonly #token: string;
  readonly #launcher: Pick<StartedChild, "signal"> & { readonly release: () => void };
  #onExit: () => void = () => undefined;
  #exit: ChildExit | null = null;
  #isHeld = true;
  #outputs: number[] = [];

  constructor(
    token: string,
    settle: (result: LaunchResult) => void,
    launcher: Pick<StartedChild, "signal"> & { readonly release: () => void },
  ) {
    this.#settle = settle;
    this.#token = token;
    this.#launcher = launcher;
    this.exited = new Promise((resolve) => {
      this.#onExit = resolve;
    });
  }

  /** The launcher lets a process start after its outputs were opened. */
  get mayHaveStarted(): boolean {
    return this.#outputs.length > 0;
  }

  /** Throws as `open` does. */
  open(folder: string, ends: Outputs): void {
    const opened: number[] = [];
    try {
      for (const end of ends) {
        opened.push(
          openSync(`${folder}/${String(end)}`, constants.O_RDONLY | constants.O_NONBLOCK),
        );
      }
    } catch (error) {
      for (const output of opened) closeSync(output);
      throw error;
    }
    this.#outputs = opened;
  }

  start(): void {
    const [stdout = 0, stderr = 0] = this.#outputs;
    this.#settle({ kind: "started", process: this, outputs: [stdout, stderr] });
  }

  /** It executes nothing. */
  fail(result: LaunchResult): void {
    for (const output of this.#outputs.splice(0)) closeSync(output);
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
    const found = await findStepProcesses(procTable, this.#token, null);
    await endProcesses(procTable, found, { graceMs: 0 });
    this.end({ exitCode: null, signal: "SIGKILL" });
  }
}
