import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../core/error-code.ts";
import { isJsonObject } from "../core/json-object.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import type { ControlRequest } from "../ports/control-request.ts";
import type { LockHolder, Store } from "../ports/store.ts";
import { HolderOutOfReachError } from "./errors.ts";
import { loadNamed } from "./load-named.ts";
import { RETRY_SIGNAL } from "./retry-signal.ts";
import { holdsStill, signalHolder } from "./wire/signal-holder.ts";

/*
 * How a command asks something of the process that drives a run:
 *
 * R1  A request is a file that names the lock to which it is addressed, by its holder. A signal
 *     tells the holder that there is one. Whoever drives the run under another lock discards the
 *     file: a request never outlives the process that it was meant for.
 * R2  No request carries anything that must survive. What must, such as an answer, is stored
 *     before the request is sent, and whoever drives the run next finds it there.
 * R3  The sender observes the reaction in the state file, and takes its request back when it
 *     stops waiting.
 */

/** What the process that holds a run did about a request. */
export interface Reaction {
  readonly holder: LockHolder;
  /** False: it did nothing within some seconds. */
  readonly reacted: boolean;
}

export interface Asking {
  /** Whether the run shows that its holder has acted on the request. */
  readonly reacted: (run: RunState) => boolean;
  /** Wait for a reaction also where the holder cannot be signalled from here: it polls. */
  readonly polls?: boolean | undefined;
}

/**
 * Sends a request to the process that holds a run, and waits some seconds for its reaction. Resolves with
 * null where no process holds the run, or that process dies meanwhile. Rejects with a
 * {@link HolderOutOfReachError} where it cannot be signalled from here.
 */
export async function request(
  store: Store,
  id: RunId,
  asked: ControlRequest,
  asking: Asking,
): Promise<Reaction | null> {
  for (;;) {
    const holder = await store.holder(id);
    if (holder === null) return null;
    const reacted = await requestOf(holder, store, id, asked, asking);
    if (reacted !== null) return { holder, reacted };
  }
}

/** Null: that process no longer holds the run. */
async function requestOf(
  holder: LockHolder,
  store: Store,
  id: RunId,
  asked: ControlRequest,
  { reacted, polls = false }: Asking,
): Promise<boolean | null> {
  const withdraw = await sendRequest(store, id, holder, asked);
  try {
    const signalled = await signalHolder(store, id, RETRY_SIGNAL, holder).catch(
      (error: unknown) => {
        if (polls && error instanceof HolderOutOfReachError) return true;
        throw error;
      },
    );
    if (!signalled) return null;
    for (const start = performance.now(); performance.now() - start < REACTION_MS; ) {
      // In this order: a holder that reacted and then released the lock has reacted.
      const holds = await holdsStill(store, id, holder);
      if (reacted(await loadNamed(store, id))) return true;
      if (!holds) return null;
      await delay(POLL_MS);
    }
    return false;
  } finally {
    await withdraw();
  }
}

const REACTION_MS = 5_000;
const POLL_MS = 50;

/** Leaves a request for the process that holds the run; the returned function takes it back. */
export async function sendRequest(
  store: Pick<Store, "artifacts" | "remote">,
  id: RunId,
  holder: LockHolder,
  asked: ControlRequest,
): Promise<() => Promise<void>> {
  if (store.remote !== undefined) return store.remote.sendRequest(id, asked);
  const { requests: folder } = await store.artifacts(id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${randomUUID()}.json`);
  const part = `${file}.tmp`;
  await writeFile(part, JSON.stringify({ to: addressOf(holder), request: asked }), { mode: 0o600 });
  await rename(part, file);
  return () => rm(file, { force: true });
}

/** Whether no request waits to be consumed. */
export function allConsumed(folder: string): boolean {
  return !list(folder).some((name) => name.endsWith(".json"));
}

/** The requests that were in a folder, which are consumed. */
export interface Consumed {
  /** Those that are addressed to this holder. */
  readonly requests: readonly ControlRequest[];
  /** How many were not: they are discarded (R1). */
  readonly discarded: number;
}

/** Consumes all requests in a folder. Reads the `holder` of the run only if there are any. */
export async function consumeRequests(
  folder: string,
  holder: () => Promise<LockHolder | null>,
): Promise<Consumed> {
  const names = list(folder).filter((name) => name.endsWith(".json"));
  if (names.length === 0) return { requests: [], discarded: 0 };
  const held = await holder();
  const to = held === null ? null : addressOf(held);
  const found = await Promise.all(names.map((name) => consume(path.join(folder, name))));
  const requests = found.flatMap((each) => (each !== null && each.to === to ? each.request : []));
  return { requests, discarded: names.length - requests.length };
}

/** Names one lock of one process: a process may hold the run more than once, one time after the other. */
function addressOf({ identity, startedAt }: LockHolder): string {
  return `${identity} ${startedAt}`;
}

/** Synchronous: each run reads it when it starts, and most have no such folder. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
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
  const text = await readTextFile(file, LIMITS.small).catch(() => null);
  await rm(file, { force: true });
  return text === null ? null : parseAddressed(text);
}

function parseAddressed(text: string): Addressed | null {
  try {
    const json: unknown = JSON.parse(text);
    if (!isJsonObject(json) || typeof json["to"] !== "string") return null;
    const request = readRequest(json["request"]);
    return request === null ? null : { to: json["to"], request };
  } catch {
    return null;
  }
}

function readRequest(json: unknown): ControlRequest | null {
  if (!isJsonObject(json)) return null;
  const { look, stop, retry, agent } = json;
  if (look === "answers" || look === "openings") return { look };
  if (stop === "after-steps") return { stop };
  if (retry === "now") return { retry };
  return agent === null || typeof agent === "string" ? { agent } : null;
}
