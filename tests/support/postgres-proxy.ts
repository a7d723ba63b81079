import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** When the connection is cut: before the server has heard a statement, or after it has answered. */
export type Cut = "before" | "after";

/** A way to a database that cuts connections around a statement. */
export interface PostgresProxy {
  readonly url: string;
  /** From now on: the connection on which the statement of this number, from 1, is asked is cut. */
  cut(statement: number, cut: Cut): void;
  /** Statements asked since the last {@link cut}. */
  asked(): number;
  /** From now on nothing comes through, and nobody is told, as where a cable is out; until it is {@link heal}ed. */
  partition(): void;
  /** From now on the server hears all, and no answer comes back; until it is {@link heal}ed. */
  deafen(): void;
  /** Nothing comes through any more on the connections that there are, and nobody is told, as where a router has forgotten them; others are fine. */
  swallow(): void;
  /** Closes these, as a server does in the end that hears nothing of them. */
  close(): void;
  heal(): void;
  /** The most connections that were there at once; an attempt where nobody answers counts as well. */
  most(): number;
}

/** Stands before the database of a URL until the test has finished. */
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
      // The answer to a statement ends so: whatever it was, it is done.
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
    asked: () => asked,
    most: () => most,
    partition: () => {
      parted = true;
      for (const socket of sockets) socket.pause();
    },
    deafen: () => {
      deaf = true;
      for (const socket of upstreams) socket.pause();
    },
    swallow: () => {
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

/** ReadyForQuery, without the state that follows. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** Counts the statements in what a client sends, of which each ends by Sync or is a Query. */
function counter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0);
  let begun = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    let found = 0;
    for (;;) {
      // The first message has no type before its length.
      const head = begun ? 1 : 0;
      if (rest.length < head + 4) return found;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return found;
      const type = begun ? String.fromCharCode(rest[0] ?? 0) : "";
      if (type === "S" || type === "Q") found += 1;
      begun = true;
      rest = rest.subarray(length);
    }
  };
}
