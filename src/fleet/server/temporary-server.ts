import { randomBytes } from "node:crypto";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunningService, StartService, UnixUser } from "../../engine/ports/process.ts";
import { orDiskError } from "../../storage/errors.ts";
import { fleetErrors } from "../errors.ts";
import { openDatabase } from "../store/database.ts";
import { type ServerBinaries, serverBinaries } from "./server-binaries.ts";

/** A PostgreSQL server on loopback that leaves no files behind. */
export interface TemporaryServer {
  /** The URL of its database `raymond`. */
  readonly url: string;
  readonly binaries: ServerBinaries;
  /** The folder of its data. */
  readonly folder: string;
  /** Stops the server as after a power loss, or cleanly. Its data stays. */
  stop(how: "at once" | "in order"): Promise<void>;
  /** Restarts it with the same data. */
  start(): Promise<void>;
  /** Stops it and deletes its data. */
  end(): Promise<void>;
  /** Resolves when it has ended unexpectedly. */
  readonly lost: Promise<void>;
}

export interface ServerOptions {
  readonly start: StartService;
  /** The environment of the server programs. */
  readonly env: Readonly<Record<string, string>>;
  /** False: faster, but data does not survive a power loss. */
  readonly durable: boolean;
  /** True: use the programs of the npm package even if the system has some. */
  readonly packaged?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Rejects with a RaymondError if no PostgreSQL is installed or it does not start. */
export async function startTemporaryServer(options: ServerOptions): Promise<TemporaryServer> {
  const below = tmpdir();
  const folder = await orDiskError("make a folder for a PostgreSQL in", below, () =>
    mkdtemp(path.join(below, "raymond-postgres-")),
  );
  const janitor = startJanitor(folder, options);
  const removeAll = async () => {
    janitor?.endInput();
    await janitor?.ended.catch(() => null);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return await startIn(folder, options, removeAll);
  } catch (error) {
    await removeAll();
    throw error;
  }
}

async function startIn(
  folder: string,
  { start, env, durable, packaged = false, settings = {} }: ServerOptions,
  removeAll: () => Promise<void>,
): Promise<TemporaryServer> {
  const user = await serverUser();
  const own = { PATH: "", ...env, LC_ALL: "C" };
  if (user !== null) await chown(folder, user.uid, user.gid);
  const binaries = await serverBinaries(folder, { start, env: own, user, packaged });
  const call: Call = (program, args, onStderr) =>
    start({
      command: path.join(binaries.folder, program),
      ...{ args, cwd: folder, env: own, user, onStderr },
    });
  const data = path.join(folder, "data");
  const password = randomBytes(18).toString("base64url");
  await initialise(call, data, folder, password, user);
  const all = { ...SETTINGS, ...(durable ? {} : NOT_DURABLE), ...settings };
  const server = new ServerProcess(call, data, all);
  await server.startOnFreePort();
  const urlOf = (name: string) =>
    `postgresql://raymond:${password}@127.0.0.1:${String(server.port)}/${name}`;
  const admin = openDatabase(urlOf("postgres"));
  await admin.query("CREATE DATABASE raymond");
  await admin.close();
  return {
    url: urlOf("raymond"),
    ...{ binaries, folder, lost: server.lost },
    start: () => server.start(),
    stop: (how) => server.stop(how),
    end: async () => {
      await server.stop(durable ? "in order" : "at once");
      await removeAll();
    },
  };
}

class ServerProcess {
  /** Resolves when the server has ended unexpectedly. */
  readonly lost: Promise<void>;
  readonly #call: Call;
  readonly #args: readonly string[];
  #reportLost: () => void = () => undefined;
  #port = 0;
  #running: RunningService | null = null;
  #stopping = false;

  constructor(call: Call, data: string, settings: Readonly<Record<string, string>>) {
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#call = call;
    this.#args = ["-D", data, ...flags];
    this.lost = new Promise((resolve) => (this.#reportLost = resolve));
  }

  get port(): number {
    return this.#port;
  }

  async startOnFreePort(): Promise<void> {
    // Another process may use the port before the server does.
    for (let tries = 1; ; tries += 1) {
      this.#port = await freePort();
      try {
        await this.start();
        return;
      } catch (error) {
        if (tries === 3) throw error;
      }
    }
  }

  /** Resolves when the server accepts connections. */
  async start(): Promise<void> {
    let output = "";
    let onReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (onReady = resolve));
    const service = this.#call("postgres", [...this.#args, "-p", String(this.#port)], (text) => {
      output = (output + text).slice(-4000);
      if (output.includes("ready to accept connections")) onReady();
    });
    const isReady = await Promise.race([ready.then(() => true), service.ended.then(() => false)]);
    if (!isReady)
      throw fleetErrors["fleet/server-failed"]("The PostgreSQL server", lastLine(output));
    this.#running = service;
    this.#stopping = false;
    void service.ended.then(() => {
      this.#running = null;
      if (!this.#stopping) this.#reportLost();
    });
  }

  async stop(how: "at once" | "in order"): Promise<void> {
    this.#stopping = true;
    this.#running?.signal(how === "at once" ? "SIGQUIT" : "SIGINT");
    await this.#running?.ended;
  }
}

/** Small, because many servers may run at the same time. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "64MB",
  jit: "off",
};

const NOT_DURABLE = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };

type Call = (
  program: string,
  args: readonly string[],
  onStderr: (text: string) => void,
) => RunningService;

/**
 * Requires a password even on loopback: a user with access to the database can run code as the
 * server.
 */
async function initialise(
  call: Call,
  data: string,
  folder: string,
  password: string,
  user: UnixUser | null,
): Promise<void> {
  const file = path.join(folder, "password");
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  if (user !== null) await chown(file, user.uid, user.gid);
  let output = "";
  const { ended } = call(
    "initdb",
    [
      ...["-D", data, "-U", "raymond", "--auth=scram-sha-256", `--pwfile=${file}`],
      ...["--encoding=UTF8", "--locale=C", "--no-sync"],
    ],
    (text) => (output = (output + text).slice(-4000)),
  );
  const code = await ended;
  await rm(file);
  if (code !== 0) throw fleetErrors["fleet/server-failed"]("initdb", lastLine(output));
}

/**
 * PostgreSQL refuses to run as root, so it runs as `postgres` or `nobody` then. Null: the current
 * user.
 */
async function serverUser(): Promise<UnixUser | null> {
  if (process.getuid?.() !== 0) return null;
  const rows = (await readFile("/etc/passwd", "utf8")).split("\n").map((row) => row.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = rows.find(([user]) => user === name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65_534, gid: 65_534 };
}

/**
 * Stops the server and deletes its folder once this process has died, which closes its standard
 * input.
 */
function startJanitor(folder: string, { start, env }: ServerOptions): RunningService | null {
  if (process.platform === "win32") return null;
  return start({
    command: "/bin/sh",
    args: ["-c", JANITOR, "sh", folder],
    ...{ cwd: "/", env, user: null },
    onStderr: () => undefined,
  });
}

const JANITOR = `
while read -r _; do :; done
ours() { case "$(ps -o args= -p "$1" 2>/dev/null)" in *"$2/data"*) return 0;; esac; return 1; }
if read -r pid < "$1/data/postmaster.pid" 2>/dev/null && ours "$pid" "$1"; then
  kill -QUIT "$pid"
  while ours "$pid" "$1"; do sleep 0.1; done
fi
rm -rf "$1"
`;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "";
}
