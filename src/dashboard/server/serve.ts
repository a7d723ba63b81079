import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { FleetBoard } from "../../inspect/fleet-board.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import type { Place } from "../../wire/stores.ts";
import { STREAM_TIMES, type StreamTimes } from "../watch/event-stream.ts";
import { ListWatch } from "../watch/list-watch.ts";
import { RunWatches } from "../watch/run-watches.ts";
import { isLoopback, newAccessControl, reachableHosts, urlHost } from "./access.ts";
import { newRunActions, type Program } from "./actions.ts";
import { newApp, type PageFile } from "./app.ts";
import { serveErrors } from "./errors.ts";
import { findFolders, servedFleet } from "./served-folder.ts";

export interface ServeOptions extends Place {
  /** Projects or state folders. Default: the current project, unless there is a fleet. */
  readonly folders: readonly string[];
  /** A fleet to show as well. The caller closes it after the server. */
  readonly board?: FleetBoard | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly allowControl: boolean;
  /** Allows control even if `host` is not a loopback address. */
  readonly allowRemoteControl?: boolean | undefined;
  /** The command for detached runs that the page starts. */
  readonly program: Program;
  readonly version: string;
  readonly page: string;
  readonly onBug: (error: unknown) => void;
  readonly times?: StreamTimes | undefined;
}

export interface RunningServer {
  /** All addresses of the server, with the token that signs a browser in. */
  readonly urls: readonly [string, ...string[]];
  readonly host: string;
  readonly port: number;
  /** The state folders and the fleet that are shown. */
  readonly folders: readonly string[];
  close(): Promise<void>;
}

/** Serves the dashboard. Rejects with a RaymondError if there is nothing to show or it cannot listen. */
export async function serve(
  options: ServeOptions,
  caller: Caller = thisProcess(),
): Promise<RunningServer> {
  const { host = "127.0.0.1", port = 0, version, onBug, board } = options;
  if (options.allowControl && !options.allowRemoteControl && !isLoopback(host)) {
    throw serveErrors["serve/remote-control"](host);
  }
  const isFleetAlone = board !== undefined && options.folders.length === 0;
  const [page, here] = await Promise.all([
    readPage(options.page),
    isFleetAlone ? [] : findFolders(options.folders, options, caller),
  ]);
  const folders = board === undefined ? here : [servedFleet(board, caller), ...here];
  const server = createServer(LIMITS);
  server.maxConnections = MAX_CONNECTIONS;
  const at = { host, port: await listen(server, host, port) };
  const access = newAccessControl(at);
  const [first = host, ...others] = reachableHosts(host);
  const urlOf = (name: string) =>
    `http://${urlHost(name)}:${String(at.port)}/?token=${access.token}`;
  const app = newApp({
    ...{ version, folders, access, page, onBug },
    lists: new ListWatch(folders),
    runs: new RunWatches(),
    actions: options.allowControl ? newRunActions(options.program) : null,
    times: options.times ?? STREAM_TIMES,
  });
  const answer = getRequestListener(app.fetch);
  server.on("request", (request, response) => void answer(request, response));
  return {
    ...at,
    urls: [urlOf(first), ...others.map(urlOf)],
    folders: folders.map(({ root }) => root),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Timeouts for slow clients, ms. Responses have none: event streams stay open. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 };
const MAX_CONNECTIONS = 256;

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(
        errorCode(error) === "EADDRINUSE"
          ? serveErrors["serve/port-taken"](host, port)
          : serveErrors["serve/cannot-listen"](host, port, error),
      );
    });
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/**
 * The files of the page by URL path. They are read before the first request, so that no request path is ever
 * resolved on disk.
 */
async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder).catch((): readonly string[] => []);
  if (!names.includes("index.html")) throw serveErrors["serve/no-page"](folder);
  const files = names.flatMap((name) => {
    const type = TYPES.get(path.extname(name));
    return type === undefined ? [] : [{ name, type }];
  });
  const pages = files.map(async ({ name, type }) => {
    const body = new Uint8Array(await readFile(path.join(folder, name)));
    return [name === "index.html" ? "/" : `/${name}`, { body, type }] as const;
  });
  return new Map(await Promise.all(pages));
}

const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
]);
