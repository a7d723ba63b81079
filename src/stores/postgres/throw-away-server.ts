import { randomBytes } from "node:crypto";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunningService, StartService, UnixUser } from "../../ports/process.ts";
import { orDiskError } from "../errors.ts";
import { openDatabase } from "./database.ts";
import { ServerFailedError } from "./errors.ts";
import { type ServerBinaries, serverBinaries } from "./server-binaries.ts";

/** A PostgreSQL server of one's own, on loopback, that leaves nothing behind. */
export interface ThrowAwayServer {
  /** Of its database `raymond`. */
  readonly url: string;
  readonly binaries: ServerBinaries;
  /** Where it keeps all that it has. */
  readonly folder: string;
  /** Ends the server as if its machine lost power, or in good order; its folder stays. */
  stop(how: "at once" | "in order"): Promise<void>;
  /** Starts it again, at the same place. */
  start(): Promise<void>;
  /** Ends it, and removes all that it has left. */
  end(): Promise<void>;
  /** Resolves when it has ended by itself, or by somebody else. */
  readonly lost: Promise<void>;
}

export interface ServerOptions {
  readonly start: StartService;
  /** For the programs of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** False: what is written need not survive a power loss, which makes it faster. */
  readonly durable: boolean;
  /** True: the programs of the package are taken, whatever the system has. */
  readonly packaged?: boolean;
  /** Settings of the server, beside its own. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a server in a new folder. Rejects with a RaymondError where none is installed, or it does not come up. */
export async function startThrowAwayServer(options: ServerOptions): Promise<ThrowAwayServer> {
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
): Promise<ThrowAwayServer> {
  const user = await serverUser();
  const own = { PATH: "", ...env, LC_ALL: "C" };
  if (user !== null) await chown(folder, user.uid, user.gid);
  const binaries = await serverBinaries(folder, { start, env: own, user, packaged });
  const call = (program: string, args: readonly string[], onStderr: (text: string) => void) =>
    start({
      command: path.join(binaries.folder, program),
      ...{ args, cwd: folder, env: own, user, onStderr },
    });
  const data = path.join(folder, "data");
  const password = randomBytes(18).toString("base64url");
  await initialise(call, data, folder, password, user);

  let port = await freePort();
  let serving: RunningService | null = null;
  let stopping = false;
  let tellLost: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => (tellLost = resolve));
  const serve = async () => {
    const all = { ...SETTINGS, ...(durable ? {} : NOT_DURABLE), ...settings };
    const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    let said = "";
    let ready: () => void = () => undefined;
    const isReady = new Promise<"ready">(
      (resolve) =>
        (ready = () => {
          resolve("ready");
        }),
    );
    const service = call("postgres", ["-D", data, "-p", String(port), ...flags], (text) => {
      said = (said + text).slice(-4000);
      if (said.includes("ready to accept connections")) ready();
    });
    const how = await Promise.race([isReady, service.ended.then(() => "ended" as const)]);
    if (how === "ended") throw new ServerFailedError("The PostgreSQL server", lastLine(said));
    serving = service;
    stopping = false;
    void service.ended.then(() => {
      serving = null;
      if (!stopping) tellLost();
    });
  };
  const stop = async (how: "at once" | "in order") => {
    stopping = true;
    serving?.signal(how === "at once" ? "SIGQUIT" : "SIGINT");
    await serving?.ended;
  };
  // Another may take the port between the look at it and the start.
  for (let tries = 1; ; tries += 1) {
    try {
      await serve();
      break;
    } catch (error) {
      if (tries === 3) throw error;
      port = await freePort();
    }
  }
  const urlOf = (name: string) =>
    `postgresql://raymond:${password}@127.0.0.1:${String(port)}/${name}`;
  const admin = openDatabase(urlOf("postgres"));
  await admin.query("CREATE DATABASE raymond");
  await admin.close();
  return {
    url: urlOf("raymond"),
    ...{ binaries, folder, stop, start: serve, lost },
    end: async () => {
      await stop(durable ? "in order" : "at once");
      await removeAll();
    },
  };
}

/** Small: many of them may run beside each other. */
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

/** Whoever reaches the database may run code by it, so that not even on loopback anybody comes in without a password. */
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
  let said = "";
  const { ended } = call(
    "initdb",
    [
      ...["-D", data, "-U", "raymond", "--auth=scram-sha-256", `--pwfile=${file}`],
      ...["--encoding=UTF8", "--locale=C", "--no-sync"],
    ],
    (text) => (said = (said + text).slice(-4000)),
  );
  const code = await ended;
  await rm(file);
  if (code !== 0) throw new ServerFailedError("initdb", lastLine(said));
}

/**
 * The server refuses to run as root: then it is `postgres`, else `nobody`. Null: it is
 * whoever runs this.
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
 * Ends the server and removes its folder when this process is gone, however it ended:
 * then its standard input ends.
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

/** A port of loopback that nobody uses now. */
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

function lastLine(said: string): string {
  return said.trim().split("\n").at(-1) ?? "";
}
