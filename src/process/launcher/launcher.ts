import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { type LaunchCall, LaunchRequest, type LaunchResult } from "./launch-request.ts";
import { messagesIn } from "./messages.ts";
import { LAUNCHER_PROGRAM } from "./program.ts";
import { SYSTEM_CALLS } from "./system-calls.ts";

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

/** A process that the launcher has created and that waits for its command. */
interface WaitingProcess {
  readonly id: number;
  readonly pid: number;
}

/** The connection to one launcher process. */
class Connection {
  hasEnded = false;
  readonly #launcher: ChildProcess;
  readonly #silenceMs: number;
  readonly #onEnd: (hasStarted: boolean) => void;
  /** Calls without a process. */
  readonly #queue: LaunchRequest[] = [];
  /** Processes without a call. */
  readonly #waiting: WaitingProcess[] = [];
  /** The started processes by id. */
  readonly #running = new Map<number, LaunchRequest>();
  /** The requested processes that wait for a reply. */
  #requested = 0;
  readonly #unsent: Buffer[] = [];
  #isFirst = true;
  #hasStarted = false;
  /** Requests that wait for a reply. */
  #unanswered = 0;
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
    const receive = messagesIn((line, bytes) => {
      this.#receive(line, bytes);
    });
    launcher.stdout?.on("data", (chunk: Buffer) => {
      if (this.#unanswered > 0) this.#watch();
      receive(chunk);
    });
  }

  launch(call: LaunchCall): Promise<LaunchResult> {
    return new Promise((settle) => {
      const request = new LaunchRequest(call, settle, {
        signal: (signal, to) => {
          this.#send(["signal", request.id, constants.signals[signal], to]);
        },
        release: () => {
          this.#hold(-1);
        },
      });
      this.#hold(1);
      this.#queue.push(request);
      this.#run();
      // The next script does not wait for a fork. Many runs have a single one.
      const spare = this.#isFirst ? 0 : 1;
      this.#isFirst = false;
      while (this.#waiting.length + this.#requested < this.#queue.length + spare) this.#create();
    });
  }

  #create(): void {
    this.#requested += 1;
    this.#expect(1);
    this.#send(["fork"]);
  }

  /** Gives the waiting processes their commands. */
  #run(): void {
    while (this.#queue.length > 0) {
      const process = this.#waiting.shift();
      if (process === undefined) return;
      const request = this.#queue.shift();
      if (request === undefined) return;
      const { id } = process;
      request.assign(process);
      this.#running.set(id, request);
      this.#expect(1);
      const { command, args, cwd, env } = request.call;
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      this.#send(["run", id, cwd, args.length + 1, command, ...args, ...variables]);
    }
  }

  #send(fields: readonly (string | number)[]): void {
    const text = fields.join("\0");
    const length = Buffer.byteLength(text);
    const message = Buffer.allocUnsafe(4 + length);
    message.writeUInt32BE(length);
    message.write(text, 4);
    // Each write wakes the launcher, which may stop this process for a while.
    if (this.#unsent.length === 0) {
      process.nextTick(() => {
        this.#launcher.stdin?.write(Buffer.concat(this.#unsent.splice(0)));
      });
    }
    this.#unsent.push(message);
  }

  #receive(line: string, bytes: Buffer): void {
    const [kind = "", ...fields] = line.split(" ");
    const [first = 0, second = 0, third = 0, fourth = 0] = fields.map(Number);
    const request = this.#running.get(first);
    switch (kind) {
      case "forked":
        this.#requested -= 1;
        this.#expect(-1);
        this.#waiting.push({ id: first, pid: second });
        this.#run();
        return;
      case "unforked":
        this.#requested -= 1;
        this.#expect(-1);
        this.#queue.shift()?.fail({ kind: "failed", code: getSystemErrorName(-first) });
        return;
      case "started":
        this.#hasStarted = true;
        this.#expect(-1);
        request?.start();
        return;
      case "error":
        this.#remove(first, getSystemErrorName(-second));
        return;
      case "out":
      case "err": {
        const output = kind === "out" ? request?.stdout : request?.stderr;
        if (bytes.length > 0) output?.push(bytes);
        else output?.close();
        break;
      }
      case "exit":
        request?.end({
          exitCode: third === 0 ? second : null,
          signal: third === 0 ? null : signalName(third),
          endedAlone: fourth === 1,
        });
    }
    if (request?.isOver === true) this.#running.delete(first);
  }

  /** A process that has executed nothing. */
  #remove(id: number, code: string): void {
    const request = this.#running.get(id);
    if (request === undefined) {
      const at = this.#waiting.findIndex((process) => process.id === id);
      if (at >= 0) this.#waiting.splice(at, 1);
      return;
    }
    this.#expect(-1);
    this.#running.delete(id);
    request.fail({ kind: "failed", code });
  }

  /** The launcher has ended, and all of its replies were read. */
  #finish(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#onEnd(this.#hasStarted);
    if (this.#silence !== null) clearTimeout(this.#silence);
    this.#waiting.length = 0;
    for (const request of this.#queue.splice(0)) request.fail({ kind: "unavailable" });
    for (const request of this.#running.values()) {
      request.start();
      void request.kill();
    }
    this.#running.clear();
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

  #expect(change: 1 | -1): void {
    this.#unanswered += change;
    this.#watch();
  }

  /** Kills a launcher that owes replies and sends nothing. */
  #watch(): void {
    if (this.#silence !== null) clearTimeout(this.#silence);
    this.#silence = null;
    if (this.#unanswered === 0) return;
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
