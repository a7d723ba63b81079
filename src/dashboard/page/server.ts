import type { Actions, DoneJson, ProblemJson } from "../api.ts";

/** What the server says: what was asked for, or why not. */
export type Said<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Trouble };

/** Why nothing came: `status` is that of the answer, 0 where there was none. */
export interface Trouble extends ProblemJson {
  readonly status: number;
}

/** `GET` of something of the server; null where it was broken off. */
export async function read<T>(path: string, signal: AbortSignal): Promise<Said<T> | null> {
  return said<T>(path, { signal });
}

/** Where the runs of a folder are, or one of them. */
export function addressOf(folder: string, run?: string): string {
  const runs = `/api/folders/${encodeURIComponent(folder)}/runs`;
  return run === undefined ? runs : `${runs}/${encodeURIComponent(run)}`;
}

/** Lets the server do something: at `address`, or what is named there. */
export async function act<Name extends keyof Actions>(
  name: Name,
  address: string,
  body: Actions[Name],
): Promise<Said<DoneJson>> {
  const path = name === "start" ? address : `${address}/${name}`;
  const headers = { "content-type": "application/json" };
  const done = await said<DoneJson>(path, { method: "POST", headers, body: JSON.stringify(body) });
  return done ?? { ok: false, problem: NO_ANSWER };
}

const NO_ANSWER: Trouble = {
  status: 0,
  code: "page/no-answer",
  message: "The server does not answer.",
  hint: "Is `raymond serve` still running? The page goes on as soon as it answers again.",
};

async function said<T>(path: string, init: RequestInit): Promise<Said<T> | null> {
  try {
    const answer = await fetch(path, { ...init, credentials: "same-origin" });
    // What the server sends is what src/dashboard/api.ts says: both are of one build.
    const value = (await answer.json().catch(() => null)) as unknown;
    if (answer.ok && value !== null) return { ok: true, value: value as T };
    return { ok: false, problem: troubleOf(answer.status, value as ProblemJson | null) };
  } catch {
    return init.signal?.aborted === true ? null : { ok: false, problem: NO_ANSWER };
  }
}

function troubleOf(status: number, body: Partial<ProblemJson> | null): Trouble {
  return {
    status,
    code: body?.code ?? "page/no-answer",
    message: body?.message ?? `The server answered ${String(status)}.`,
    hint: body?.hint ?? null,
  };
}
