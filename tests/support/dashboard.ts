import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Hono } from "hono";
import type { Actor } from "../../src/dashboard/actions.ts";
import { newApp } from "../../src/dashboard/app.ts";
import { newDoor } from "../../src/dashboard/door.ts";
import { STREAM_TIMES } from "../../src/dashboard/event-stream.ts";
import { ListWatch } from "../../src/dashboard/list-watch.ts";
import { RunWatches } from "../../src/dashboard/run-watches.ts";
import { findFolders, servedFleet } from "../../src/dashboard/served-folder.ts";
import { type Caller, thisProcess } from "../../src/runs/caller.ts";
import type { FleetBoard } from "../../src/runs/fleet-board.ts";
import { tempFolder } from "./folders.ts";

/** A dashboard that is asked in this process, as a browser that was let in. */
export interface TestDashboard {
  readonly app: Hono;
  readonly token: string;
  /** Address of what belongs to the first folder. */
  readonly folder: string;
  /** The bugs that it has told of. */
  readonly bugs: readonly unknown[];
  get(at: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** The JSON of an answer, which must be one without an error. */
  json(at: string): Promise<unknown>;
  post(at: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

/** Where it seems to listen. */
export const AT = "127.0.0.1:4000";

export async function openDashboard(
  caller: Caller,
  {
    actor = null,
    named = [],
    board,
  }: {
    readonly actor?: Actor | null;
    readonly named?: readonly string[];
    /** A fleet, which is shown in place of folders. */
    readonly board?: FleetBoard;
  } = {},
): Promise<TestDashboard> {
  const folders =
    board === undefined ? await findFolders(named, {}, caller) : [servedFleet(board, caller)];
  const door = newDoor({ host: "127.0.0.1", port: 4000 });
  const page = {
    body: new TextEncoder().encode("<h1>page</h1>"),
    type: "text/html; charset=utf-8",
  };
  const bugs: unknown[] = [];
  const app = newApp({
    ...{ version: "1.2.3", folders, door, actor, times: STREAM_TIMES },
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

/** A project with workflows of these files, and whoever is in its folder. */
export async function projectWith(files: Readonly<Record<string, string>>): Promise<Caller> {
  const cwd = await tempFolder();
  const { mkdir } = await import("node:fs/promises");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  }
  return thisProcess({ cwd, env: { PATH: process.env["PATH"] } });
}
