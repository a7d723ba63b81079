import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import type { ChildExit, StartedChild } from "../children/started-child.ts";
import { endProcesses, findStepProcesses } from "../find-processes.ts";
import { procTable } from "../platform/proc-table.ts";
import { LAUNCHER_PROGRAM } from "./program.ts";

export interface LaunchCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The files to open as standard output and standard error. */
  readonly outputs: readonly string[];
  /** Identifies the process and its descendants if the launcher is killed. */
  readonly token: string;
}

/** A process that was started by the launcher. */
export type Launched = Pick<StartedChild, "pid" | "exit" | "exited" | "signal" | "unref">;

export type LaunchResult =
  | { readonly kind: "started"; readonly process: Launched }
  /** The error code of the system, such as EAGAIN. */
  | { readonly kind: "failed"; readonly code: string }
  /** There is no launcher, or it ended before the process executed anything. */
  | { readonly kind: "unavailable" };

/** Starts processes by a helper process (program.ts), which is started when it is first needed. */
export interface Launcher {
  readonly launch: (call: LaunchCall) => Promise<LaunchResult>;
}

export interface LauncherOptions {
  readonly start?: () => ChildProcess;
  /** Time without a reply after which a launcher is presumed to hang, ms. */
  readonly silenceMs?: number;
}

/** Launchers in a row that end before they start a process, until raymond stops using them. */
const MAX_FAILURES = 3;

const PERL = "/usr/bin/perl";

export function createLauncher({
  start = () => startPerl(),
  silenceMs = 10_000,
}: LauncherOptions = {}): Launcher {
  let failures = existsSync(PERL) ? 0 : MAX_FAILURES;
  let current: Connection | null = null;
  return {
    launch(call) {
      if (failures >= MAX_FAILURES) return Promise.resolve({ kind: "unavailable" });
      if (current === null || current.hasEnded) {
        current = new Connection(start(), silenceMs, (hasStarted) => {
          failures = hasStarted ? 0 : failures + 1;
        });
      }
      return current.launch(call);
    },
  };
}

/** Without environment: nothing can change what Perl loads. */
export function startPerl(program: string = LAUNCHER_PROGRAM): ChildProcess {
  return spawn(PERL, ["-e", program], {
    ...{ cwd: "/", env: {}, detached: true },
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** The connection to one launcher process. */
class Connection {
  hasEnded = false;
  readonly #launcher: ChildProcess;
  readonly #silenceMs: number;
  readonly #onEnd: (hasStarted: boolean) => void;
  /** The requested and running processes by id. */
  readonly #requests = new Map<string, LaunchRequest>();
  #lastId = 0;
  /** The part of a reply that was read so far. */
  #partial = "";
  #hasStarted = false;
  /** Requests that wait for a reply. */
  #waiting = 0;
  #silence: NodeJS.Timeout | null = null;
  /** Processes that keep raymond running. */
  #held = 0;

  /** `onEnd` receives whether the launcher has started a process. */
  constructor(launcher: ChildProcess, silenceMs: number, onEnd: (hasStarted: boolean) => void) {
    this.#launcher = launcher;
    this.#silenceMs = silenceMs;
    this.#onEnd = onEnd;
    const finish = () => {
      this.#finish();
    };
    launcher.on("error", finish).on("close", finish);
    launcher.stdin?.on("error", () => undefined);
    launcher.stdout?.setEncoding("latin1").on("data", (text: string) => {
      const lines = (this.#partial + text).split("\n");
      this.#partial = lines.pop() ?? "";
      for (const line of lines) this.#receive(line);
    });
  }

  launch({ command, args, cwd, env, outputs, token }: LaunchCall): Promise<LaunchResult> {
    this.#lastId += 1;
    const id = String(this.#lastId);
    const words = [command, ...args];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return new Promise((settle) => {
      const request = new LaunchRequest(token, settle, {
        signal: (signal, to) => {
          this.#send(["signal", id, String(constants.signals[signal]), to]);
        },
        release: () => {
          this.#hold(-1);
        },
      });
      this.#requests.set(id, request);
      this.#hold(1);
      this.#wait(1);
      this.#send(["launch", id, cwd, ...outputs, String(words.length), ...words, ...variables]);
    });
  }

  #send(fields: readonly string[]): void {
    const body = Buffer.from(fields.join("\0"));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    this.#launcher.stdin?.write(Buffer.concat([length, body]));
  }

  #receive(line: string): void {
    const [kind = "", id = "", ...fields] = line.split(" ");
    const [first = 0, signal = 0] = fields.map(Number);
    const request = this.#requests.get(id);
    if (request === undefined) return;
    switch (kind) {
      case "pid":
        request.pid = first;
        return;
      case "started":
        this.#hasStarted = true;
        this.#wait(-1);
        request.settle({ kind: "started", process: request });
        return;
      case "error":
        this.#wait(-1);
        this.#requests.delete(id);
        request.unref();
        request.settle({ kind: "failed", code: getSystemErrorName(-first) });
        return;
      case "exit":
        this.#requests.delete(id);
        request.end(
          signal === 0
            ? { exitCode: first, signal: null }
            : { exitCode: null, signal: signalName(signal) },
        );
    }
  }

  /** The launcher has ended, and all of its replies were read. */
  #finish(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#onEnd(this.#hasStarted);
    if (this.#silence !== null) clearTimeout(this.#silence);
    for (const request of this.#requests.values()) {
      if (request.pid === 0) {
        request.unref();
        request.settle({ kind: "unavailable" });
      } else {
        request.settle({ kind: "started", process: request });
        void request.kill();
      }
    }
    this.#requests.clear();
  }

  /** Waiting for a reply or an exit keeps raymond running. An idle launcher does not. */
  #hold(change: 1 | -1): void {
    this.#held += change;
    const { stdin, stdout } = this.#launcher;
    for (const each of [this.#launcher, stdin as Socket | null, stdout as Socket | null]) {
      if (this.#held === 0) each?.unref();
      else if (this.#held === 1 && change === 1) each?.ref();
    }
  }

  #wait(change: 1 | -1): void {
    this.#waiting += change;
    if (this.#silence !== null) clearTimeout(this.#silence);
    if (this.#waiting === 0) return;
    const silence = setTimeout(() => {
      // Node runs timers before it reads replies, which may have arrived while it was suspended.
      setImmediate(() => {
        if (this.#silence === silence) this.#launcher.kill("SIGKILL");
      });
    }, this.#silenceMs);
    this.#silence = silence;
  }
}

/** A process that the launcher is starting or has started. */
class LaunchRequest implements Launched {
  /** 0 while there is no process. */
  pid = 0;
  readonly settle: (result: LaunchResult) => void;
  readonly exited: Promise<void>;
  readonly #token: string;
  readonly #launcher: Pick<StartedChild, "signal"> & { readonly release: () => void };
  #onExit: () => void = () => undefined;
  #exit: ChildExit | null = null;
  #isHeld = true;

  constructor(
    token: string,
    settle: (result: LaunchResult) => void,
    launcher: Pick<StartedChild, "signal"> & { readonly release: () => void },
  ) {
    this.settle = settle;
    this.#token = token;
    this.#launcher = launcher;
    this.exited = new Promise((resolve) => {
      this.#onExit = resolve;
    });
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

function signalName(number: number): NodeJS.Signals {
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return names.find(([, value]) => value === number)?.[0] ?? "SIGKILL";
}
