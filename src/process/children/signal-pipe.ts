import { randomUUID } from "node:crypto";
import { createConnection, createServer, type Socket } from "node:net";
import { errorCode } from "../../language/basics/error-code.ts";

/*
 * Signals for Windows: a process that holds a run listens on a named pipe and receives signal
 * names.
 * P1  The pipe has a random name that only the lock contains: no other process can create it.
 * P2  The pipe disappears with its process. So it identifies the process beyond its pid: while the
 *     pipe exists, the pid in its name is valid.
 * P3  Only "no such pipe" means that the process is dead. After any other error it is assumed to be
 *     alive.
 */

export type PipeResult =
  | "delivered"
  /** The process is alive but did not answer: it may hang. */
  | "no-answer"
  /** The process does not exist any more. */
  | "gone";

const PIPES = "\\\\.\\pipe\\";
const IDENTITY = /^\d+:[0-9a-f-]{36}$/;

export function isPipeIdentity(identity: string): boolean {
  return IDENTITY.test(identity);
}

let own: Promise<string> | null = null;

/** The identity of this process. The first call opens its pipe. */
export function ownPipeIdentity(): Promise<string> {
  own ??= openSignalPipe();
  return own;
}

/** Opens a pipe for this process, without keeping it alive. Resolves with its identity. */
export function openSignalPipe(pipes = PIPES): Promise<string> {
  const identity = `${String(process.pid)}:${randomUUID()}`;
  const server = createServer(receive);
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(addressOf(identity, pipes), () => {
      resolve(identity);
    });
  });
}

export async function hasSignalPipe(identity: string, pipes = PIPES): Promise<boolean> {
  return (await exchange(identity, null, pipes)) !== "gone";
}

/** Sends a signal to a process and waits some seconds for its acknowledgement. */
export function signalByPipe(
  identity: string,
  signal: NodeJS.Signals,
  pipes = PIPES,
): Promise<PipeResult> {
  return exchange(identity, signal, pipes);
}

function addressOf(identity: string, pipes: string): string {
  return `${pipes}raymond.${identity.replace(":", ".")}`;
}

/** Server side: a line is a signal name, and is acknowledged after the signal is emitted. */
function receive(socket: Socket): void {
  let text = "";
  socket.unref();
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    const signal = SIGNALS.find((name) => text === `${name}\n`);
    if (signal === undefined) {
      if (text.length > LONGEST) socket.destroy();
      return;
    }
    socket.end("ok\n");
    // Like the system's default action without a listener.
    if (!process.emit(signal, signal) && signal === "SIGTERM") process.exit(143);
  });
}

const SIGNALS = ["SIGTERM", "SIGUSR2"] as const;
const LONGEST = 64;

/** Without a signal, only checks whether the process is alive. */
function exchange(
  identity: string,
  signal: NodeJS.Signals | null,
  pipes: string,
): Promise<PipeResult> {
  return new Promise((resolve) => {
    const socket = createConnection(addressOf(identity, pipes));
    const finish = (answer: PipeResult) => {
      clearTimeout(timer);
      resolve(answer);
      socket.destroy();
    };
    const timer = setTimeout(finish, PATIENCE_MS, "no-answer" as const);
    socket.on("error", (error) => {
      finish(GONE.includes(errorCode(error) ?? "") ? "gone" : "no-answer");
    });
    socket.on("connect", () => {
      if (signal === null) finish("delivered");
      else socket.write(`${signal}\n`);
    });
    socket.on("data", () => {
      finish("delivered");
    });
    // The pipe existed, so that the process may be ending right now.
    socket.on("close", () => {
      finish("no-answer");
    });
  });
}

const PATIENCE_MS = 2_000;
/** ECONNREFUSED: for a Unix socket that a dead process left behind. */
const GONE: readonly string[] = ["ENOENT", "ECONNREFUSED"];
