import { randomUUID } from "node:crypto";
import { createConnection, createServer, type Socket } from "node:net";
import { errorCode } from "../core/error-code.ts";

/*
 * Signals where there are none: on Windows a process that holds a run listens on a named pipe, and a word on it is a
 * signal to it.
 *
 * P1. The name of the pipe is made at random and told by the lock alone: nobody else has it, before or after.
 * P2. The pipe goes with its process, however that ends. So it names the process beyond its pid: while it is there,
 *     the pid in its name means that process.
 * P3. Only "there is no such pipe" says that the process is dead. Any other failure is taken for a living one.
 */

/** What came of a signal. */
export type PipeAnswer =
  | "heard"
  /** It lives, and has not answered: it may hang. */
  | "no-answer"
  /** There is no such process any more. */
  | "gone";

const PIPES = "\\\\.\\pipe\\";
const IDENTITY = /^\d+:[0-9a-f-]{36}$/;

/** Whether an identity is that of a process with a pipe. */
export function isPipeIdentity(identity: string): boolean {
  return IDENTITY.test(identity);
}

let own: Promise<string> | null = null;

/** The identity of this process. From the first call on it has its pipe, and hears signals by it. */
export function ownPipeIdentity(): Promise<string> {
  own ??= openSignalPipe();
  return own;
}

/** Makes a pipe for this process that does not keep it from ending; its identity. */
export function openSignalPipe(pipes = PIPES): Promise<string> {
  const identity = `${String(process.pid)}:${randomUUID()}`;
  const server = createServer(hear);
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(addressOf(identity, pipes), () => {
      resolve(identity);
    });
  });
}

/** Whether the process of this identity lives. */
export async function hasSignalPipe(identity: string, pipes = PIPES): Promise<boolean> {
  return (await tell(identity, null, pipes)) !== "gone";
}

/** Sends a signal to the process of this identity, and waits some seconds for it to be heard. */
export function signalByPipe(
  identity: string,
  signal: NodeJS.Signals,
  pipes = PIPES,
): Promise<PipeAnswer> {
  return tell(identity, signal, pipes);
}

function addressOf(identity: string, pipes: string): string {
  return `${pipes}raymond.${identity.replace(":", ".")}`;
}

/** Our own side: a line is a signal, and is answered once it was handed on. */
function hear(socket: Socket): void {
  let text = "";
  socket.unref();
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    const signal = HEARD.find((name) => text === `${name}\n`);
    if (signal === undefined) {
      if (text.length > LONGEST) socket.destroy();
      return;
    }
    socket.end("heard\n");
    // As the system does: who does not listen is ended.
    if (!process.emit(signal, signal) && signal === "SIGTERM") process.exit(143);
  });
}

const HEARD = ["SIGTERM", "SIGUSR2"] as const;
const LONGEST = 64;

/** Without a signal it only looks whether somebody is there. */
function tell(identity: string, signal: NodeJS.Signals | null, pipes: string): Promise<PipeAnswer> {
  return new Promise((resolve) => {
    const socket = createConnection(addressOf(identity, pipes));
    const finish = (answer: PipeAnswer) => {
      clearTimeout(timer);
      resolve(answer);
      socket.destroy();
    };
    const timer = setTimeout(finish, PATIENCE_MS, "no-answer" as const);
    socket.on("error", (error) => {
      finish(GONE.includes(errorCode(error) ?? "") ? "gone" : "no-answer");
    });
    socket.on("connect", () => {
      if (signal === null) finish("heard");
      else socket.write(`${signal}\n`);
    });
    socket.on("data", () => {
      finish("heard");
    });
    // It was there, so it is not "gone": it may be ending just now.
    socket.on("close", () => {
      finish("no-answer");
    });
  });
}

const PATIENCE_MS = 2_000;
/** The second one where a pipe is a socket in a folder, and its process has left the name there. */
const GONE: readonly string[] = ["ENOENT", "ECONNREFUSED"];
