import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { errorCode } from "../../language/basics/error-code.ts";
import { isTransientCode } from "../transient-shortage.ts";
import { LaunchRequest, type LaunchResult, type Outputs } from "./launch-request.ts";
import { LAUNCHER_PROGRAM, SYSTEM_CALLS } from "./program.ts";

export interface LaunchCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Identifies the process and its descendants if the launcher is killed. */
  readonly token: string;
}

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
  let failures = SYSTEM_CALLS !== undefined && existsSync(PERL) ? 0 : MAX_FAILURES;
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

  launch({ command, args, cwd, env, token }: LaunchCall): Promise<LaunchResult> {
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
      this.#send(["launch", id, cwd, String(words.length), ...words, ...variables]);
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
    const [first = 0, second = 0, third = 0] = fields.map(Number);
    const request = this.#requests.get(id);
    if (request === undefined) return;
    switch (kind) {
      case "pid":
        request.pid = first;
        this.#run(id, request, [second, third]);
        return;
      case "started":
        this.#hasStarted = true;
        this.#wait(-1);
        request.start();
        return;
      case "error":
        this.#fail(id, request, getSystemErrorName(-first));
        return;
      case "exit":
        this.#requests.delete(id);
        request.end(
          second === 0
            ? { exitCode: first, signal: null }
            : { exitCode: null, signal: signalName(second) },
        );
    }
  }

  /** Opens the outputs of a process that waits for that. `ends`: descriptors of the launcher. */
  #run(id: string, request: LaunchRequest, ends: Outputs): void {
    try {
      request.open(`/proc/${String(this.#launcher.pid)}/fd`, ends);
      this.#send(["run", id]);
    } catch (error) {
      const code = errorCode(error);
      if (code !== null && isTransientCode(code)) {
        this.#send(["cancel", id]);
        this.#fail(id, request, code);
      } else {
        // It has just ended, or cannot be used.
        this.#launcher.kill("SIGKILL");
      }
    }
  }

  #fail(id: string, request: LaunchRequest, code: string): void {
    this.#wait(-1);
    this.#requests.delete(id);
    request.fail({ kind: "failed", code });
  }

  /** The launcher has ended, and all of its replies were read. */
  #finish(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#onEnd(this.#hasStarted);
    if (this.#silence !== null) clearTimeout(this.#silence);
    for (const request of this.#requests.values()) {
      if (!request.mayHaveStarted) {
        request.fail({ kind: "unavailable" });
      } else {
        request.start();
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

function signalName(number: number): NodeJS.Signals {
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return names.find(([, value]) => value === number)?.[0] ?? "SIGKILL";
}
