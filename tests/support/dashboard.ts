import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Hono } from "hono";
import { newAccessControl } from "../../src/dashboard/server/access.ts";
import type { RunActions } from "../../src/dashboard/server/actions.ts";
import { newApp } from "../../src/dashboard/server/app.ts";
import { findFolders, servedFleet } from "../../src/dashboard/server/served-folder.ts";
import { STREAM_TIMES } from "../../src/dashboard/watch/event-stream.ts";
import { ListWatch } from "../../src/dashboard/watch/list-watch.ts";
import { RunWatches } from "../../src/dashboard/watch/run-watches.ts";
import type { FleetBoard } from "../../src/inspect/fleet-board.ts";
import { type Caller, thisProcess } from "../../src/wire/caller.ts";
import { tempFolder } from "./folders.ts";

/** A dashboard in this process. Requests come from a browser that is signed in. */
export interface TestDashboard {
  readonly app: Hono;
  readonly token: string;
  /** API address of the first folder. */
  readonly folder: string;
  /** Unexpected errors. */
  readonly bugs: readonly unknown[];
  get(at: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** The JSON of a response. Rejects if it is an error. */
  json(at: string): Promise<unknown>;
  post(at: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

/** Host and port of the simulated server. */
export const AT = "127.0.0.1:4000";

export async function openDashboard(
  caller: Caller,
  {
    actor = null,
    named = [],
    board,
  }: {
    readonly actor?: RunActions | null;
    readonly named?: readonly string[];
    /** A fleet to show instead of folders. */
    readonly board?: FleetBoard;
  } = {},
): Promise<TestDashboard> {
  const folders =
    board === undefined ? await findFolders(named, {}, caller) : [servedFleet(board, caller)];
  const door = newAccessControl({ host: "127.0.0.1", port: 4000 });
  const page = {
    body: new TextEncoder().encode("<h1>page</h1>"),
    type: "text/html; charset=utf-8",
  };
  const bugs: unknown[] = [];
  const app = newApp({
    ...{ version: "1.2.3", folders, access: door, actions: actor, times: STREAM_TIMES },
    page: new Map([["/", page]]),
    lists: new ListWatch(folders),
    runs: new RunWatches(),
    onBug: (error) => bugs.push(error),
  });
  const cookie = door.cookie.split(";")[0] ?? "";
  const ask = (at: string, init: RequestInit) =>
    Promise.resolve(app.fetch(new Request(`http://${AT}${at}`, init)));
  const own = { host: AT, cookie };
  const get: TestDashboard["get"] = (at, headers = {}) =>
    ask(at, { headers: { ...own, ...headers } });
  return {
    ...{ app, bugs, get, token: door.token },
    folder: `/api/folders/${folders[0]?.key ?? ""}`,
    json: async (at) => {
      const answer = await get(at);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${at}: ${String(answer.status)} ${text}`);
      return JSON.parse(text) as unknown;
    },
    post: (at, body, headers = {}) => {
      const type = { origin: `http://${AT}`, "content-type": "application/json" };
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return ask(at, { method: "POST", body: text, headers: { ...own, ...type, ...headers } });
    },
  };
}

/** A project with these files, and a caller in its folder. */
export async function projectWith(files: Readonly<Record<string, string>>): Promise<Caller> {
  const cwd = await tempFolder();
  const { mkdir } = await import("node:fs/promises");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  }
  return thisProcess({ cwd, env: { PATH: process.env["PATH"] } });
}
