import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { errorCode } from "../core/error-code.ts";
import { type Caller, thisProcess } from "../runs/caller.ts";
import type { FleetBoard } from "../runs/fleet-board.ts";
import type { Place } from "../runs/wire/stores.ts";
import { newActor } from "./actions.ts";
import { newApp } from "./app.ts";
import { inAddress, isLoopback, newDoor, reachableHosts } from "./door.ts";
import { CannotListenError, PortTakenError, RemoteControlError } from "./errors.ts";
import { STREAM_TIMES, type StreamTimes } from "./event-stream.ts";
import type { Program } from "./launch.ts";
import { ListWatch } from "./list-watch.ts";
import { readPage } from "./page-files.ts";
import { RunWatches } from "./run-watches.ts";
import { findFolders, servedFleet } from "./served-folder.ts";

/** What is to be shown, to whom. */
export interface ServeOptions extends Place {
  /** Projects, or state folders; without any, and without a fleet, this project. */
  readonly folders: readonly string[];
  /** A fleet that is shown as well; whoever has opened it closes it, after the server. */
  readonly board?: FleetBoard | undefined;
  /** 127.0.0.1 without it. */
  readonly host?: string | undefined;
  /** A free one without it. */
  readonly port?: number | undefined;
  readonly allowControl: boolean;
  /** The same also from other machines, where `host` is not the loopback. */
  readonly allowRemoteControl?: boolean | undefined;
  /** How this raymond is called: what is started from the page is run by it. */
  readonly program: Program;
  readonly version: string;
  /** The folder with the files of the page. */
  readonly page: string;
  readonly onBug: (error: unknown) => void;
  readonly times?: StreamTimes | undefined;
}

/** A server that listens. */
export interface Serving {
  /** Every address by which it can be reached, with the token: whoever opens one is let in. */
  readonly urls: readonly [string, ...string[]];
  readonly host: string;
  readonly port: number;
  /** The state folders that are shown, and the fleet. */
  readonly folders: readonly string[];
  /** Lets everybody go. */
  close(): Promise<void>;
}

/** Serves the dashboard. Rejects with a RaymondError where there is nothing to show, or nowhere to listen. */
export async function serve(
  options: ServeOptions,
  caller: Caller = thisProcess(),
): Promise<Serving> {
  const { host = "127.0.0.1", port = 0, version, onBug, board } = options;
  if (options.allowControl && !options.allowRemoteControl && !isLoopback(host)) {
    throw new RemoteControlError(host);
  }
  const isFleetAlone = board !== undefined && options.folders.length === 0;
  const [page, here] = await Promise.all([
    readPage(options.page),
    isFleetAlone ? [] : findFolders(options.folders, options, caller),
  ]);
  const folders = board === undefined ? here : [servedFleet(board, caller), ...here];
  const server = createServer(LIMITS);
  server.maxConnections = MOST_CONNECTIONS;
  const at = { host, port: await listen(server, host, port) };
  const door = newDoor(at);
  const [first = host, ...others] = reachableHosts(host);
  const urlOf = (name: string) =>
    `http://${inAddress(name)}:${String(at.port)}/?token=${door.token}`;
  const app = newApp({
    ...{ version, folders, door, page, onBug },
    lists: new ListWatch(folders),
    runs: new RunWatches(),
    actor: options.allowControl ? newActor(options.program) : null,
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

/** Whoever is slow to ask does not hold a connection for long; an answer may take as long as it takes. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 };
const MOST_CONNECTIONS = 256;

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const isTaken = errorCode(error) === "EADDRINUSE";
      reject(isTaken ? new PortTakenError(host, port) : new CannotListenError(host, port, error));
    });
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}
