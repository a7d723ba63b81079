import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ControlRequest } from "../engine/ports/control-request.ts";
import type { LockHolder } from "../engine/ports/store.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { isJsonObject, parseJson } from "../language/basics/json-object.ts";
import { parseControlRequest } from "./codec/control-request.ts";

/** Writes a request to the holder of a run. Returns a function that withdraws it. False: it was consumed. */
export async function writeRequest(
  folder: string,
  holder: LockHolder,
  request: ControlRequest,
): Promise<() => Promise<boolean>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${randomUUID()}.json`);
  const part = `${file}.tmp`;
  await writeFile(part, JSON.stringify({ to: addressOf(holder), request }), { mode: 0o600 });
  await rename(part, file);
  return () =>
    rm(file).then(
      () => true,
      (error: unknown) => {
        if (errorCode(error) === "ENOENT") return false;
        throw error;
      },
    );
}

export function hasPendingRequests(folder: string): boolean {
  return list(folder).length > 0;
}

/** The requests that were in a folder, and are deleted. */
export interface Consumed {
  readonly requests: readonly ControlRequest[];
  /** Number of requests to earlier holders, and of unreadable files. */
  readonly discarded: number;
}

/** Consumes all requests in a folder. Reads the `holder` of the run only if there are any. */
export async function consumeRequests(
  folder: string,
  holder: () => Promise<LockHolder | null>,
): Promise<Consumed> {
  const names = list(folder);
  if (names.length === 0) return { requests: [], discarded: 0 };
  const held = await holder();
  const to = held === null ? null : addressOf(held);
  const found = await Promise.all(names.map((name) => consume(path.join(folder, name))));
  const requests = found.flatMap((each) => (each !== null && each.to === to ? each.request : []));
  return { requests, discarded: names.length - requests.length };
}

/** Names one lock of one process: a process may hold a run several times, one after the other. */
function addressOf({ identity, startedAt }: LockHolder): string {
  return `${identity} ${startedAt}`;
}

/** Synchronous: each run reads it when it starts, and most have no such folder. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

interface Addressed {
  readonly to: string;
  readonly request: ControlRequest;
}

async function consume(file: string): Promise<Addressed | null> {
  const text = await readTextFile(file, LIMITS.state).catch(() => null);
  await rm(file, { force: true });
  return text === null ? null : parseAddressed(text);
}

function parseAddressed(text: string): Addressed | null {
  const json = parseJson(text);
  if (!isJsonObject(json) || typeof json["to"] !== "string") return null;
  const request = parseControlRequest(json["request"]);
  return request === null ? null : { to: json["to"], request };
}
