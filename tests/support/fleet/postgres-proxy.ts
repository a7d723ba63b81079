import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** When the connection is cut: before the server receives a statement, or after it has responded. */
export type Cut = "before" | "after";

/** A proxy for a database that injects network faults. */
export interface PostgresProxy {
  readonly url: string;
  /** Cuts the connection of the nth statement from now (from 1). */
  cut(statement: number, cut: Cut): void;
  /** Statements since the last {@link cut}. */
  statements(): number;
  /** Drops all packets silently, as with a broken cable, until {@link heal}. */
  partition(): void;
  /** Drops all responses of the server until {@link heal}. */
  dropReplies(): void;
  /** Silently drops all packets of existing connections, as a NAT timeout does. New connections work. */
  dropNextReply(): void;
  /** Closes these connections, as a server does after a timeout. */
  close(): void;
  heal(): void;
  /** The maximum number of concurrent connections, including connection attempts. */
  maxConnections(): number;
}

/** Starts a proxy for the database of a URL. It is closed after the test. */
export async function postgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const upstreams = new Set<Socket>();
  const swallowed = new Set<Socket>();
  let plan: { readonly statement: number; readonly cut: Cut } | null = null;
  let asked = 0;
  let open = 0;
  let most = 0;

  let parted = false;
  let deaf = false;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let cutting = false;
    open += 1;
    most = Math.max(most, open);
    client.once("close", () => (open -= 1));
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on("error", end)
        .on("close", end)
        .on("close", () => {
          for (const all of [sockets, upstreams, swallowed]) all.delete(socket);
        });
      if (parted) socket.pause();
    }
    upstreams.add(upstream);
    if (deaf) upstream.pause();
    const statements = counter();
    client.on("data", (chunk) => {
      for (let left = statements(chunk); left > 0; left -= 1) {
        asked += 1;
        if (asked !== plan?.statement) continue;
        if (plan.cut === "before") {
          end();
          return;
        }
        cutting = true;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!cutting) client.write(chunk);
      // End of the response to a statement.
      else if (chunk.subarray(-6, -1).equals(READY)) end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  const address = server.address();
  url.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: url.href,
    cut: (statement, cut) => {
      asked = 0;
      plan = { statement, cut };
    },
    statements: () => asked,
    maxConnections: () => most,
    partition: () => {
      parted = true;
      for (const socket of sockets) socket.pause();
    },
    dropReplies: () => {
      deaf = true;
      for (const socket of upstreams) socket.pause();
    },
    dropNextReply: () => {
      for (const socket of sockets) {
        swallowed.add(socket);
        socket.pause();
      }
    },
    close: () => {
      for (const socket of swallowed) socket.destroy();
    },
    heal: () => {
      parted = false;
      deaf = false;
      for (const socket of sockets) if (!swallowed.has(socket)) socket.resume();
    },
  };
}

/** ReadyForQuery, without the status byte. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** Counts the statements that a client sends: Sync and Query messages. */
function counter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    let found = 0;
    for (;;) {
      // The first message has no type byte.
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return found;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return found;
      const type = started ? String.fromCharCode(rest[0] ?? 0) : "";
      if (type === "S" || type === "Q") found += 1;
      started = true;
      rest = rest.subarray(length);
    }
  };
}
