import type { ActionResultJson, Actions, ProblemJson } from "../api.ts";

/** A response of the server. */
export type Fetched<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: RequestProblem };

/** Why a request failed. `status` is the HTTP status, 0 without a response. */
export interface RequestProblem extends ProblemJson {
  readonly status: number;
}

/** Sends a `GET` request; null if it was aborted. */
export async function fetchJson<T>(path: string, signal: AbortSignal): Promise<Fetched<T> | null> {
  return request<T>(path, { signal });
}

/** The address of the runs of a folder, or of one run. */
export function addressOf(folder: string, run?: string): string {
  const runs = `/api/folders/${encodeURIComponent(folder)}/runs`;
  return run === undefined ? runs : `${runs}/${encodeURIComponent(run)}`;
}

/** Sends an action. `address`: of the run, or for `start` of the runs. */
export async function postAction<Name extends keyof Actions>(
  name: Name,
  address: string,
  body: Actions[Name],
): Promise<Fetched<ActionResultJson>> {
  const path = name === "start" ? address : `${address}/${name}`;
  const headers = { "content-type": "application/json" };
  const done = await request<ActionResultJson>(path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return done ?? { ok: false, problem: NO_ANSWER };
}

const NO_ANSWER: RequestProblem = {
  status: 0,
  code: "page/no-answer",
  message: "The server is not responding.",
  hint: "Check that raymond serve is still running. The page reconnects automatically.",
};

async function request<T>(path: string, init: RequestInit): Promise<Fetched<T> | null> {
  try {
    const answer = await fetch(path, { ...init, credentials: "same-origin" });
    // The types of src/dashboard/api.ts are not checked: server and page are from the same build.
    const value = (await answer.json().catch(() => null)) as unknown;
    if (answer.ok && value !== null) return { ok: true, value: value as T };
    return { ok: false, problem: problemOf(answer.status, value as ProblemJson | null) };
  } catch {
    return init.signal?.aborted === true ? null : { ok: false, problem: NO_ANSWER };
  }
}

function problemOf(status: number, body: Partial<ProblemJson> | null): RequestProblem {
  return {
    status,
    code: body?.code ?? "page/no-answer",
    message: body?.message ?? `The server responded with HTTP status ${String(status)}.`,
    hint: body?.hint ?? null,
  };
}
