import type { ProblemJson } from "../api.ts";

export type Fetched<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: RequestProblem };

/** Why a request failed. `status` is the HTTP status, 0 without a response. */
export interface RequestProblem extends ProblemJson {
  readonly status: number;
}

/** The address of the runs of a folder, or of one run. */
export function addressOf(folder: string, run?: string): string {
  const runs = `/api/folders/${encodeURIComponent(folder)}/runs`;
  return run === undefined ? runs : `${runs}/${encodeURIComponent(run)}`;
}

export async function fetchJson<T>(path: string, init: RequestInit = {}): Promise<Fetched<T>> {
  try {
    const response = await fetch(path, { ...init, credentials: "same-origin" });
    // The types of src/dashboard/api.ts are not checked: server and page are from the same build.
    const value = (await response.json().catch(() => null)) as unknown;
    if (response.ok && value !== null) return { ok: true, value: value as T };
    const message = `The server responded with HTTP status ${String(response.status)}.`;
    const problem = { ...NO_RESPONSE, message, hint: null, ...(value as ProblemJson | null) };
    return { ok: false, problem: { ...problem, status: response.status } };
  } catch {
    return { ok: false, problem: NO_RESPONSE };
  }
}

const NO_RESPONSE: RequestProblem = {
  status: 0,
  code: "page/no-answer",
  message: "The server is not responding.",
  hint: "Check that raymond serve is still running. The page reconnects automatically.",
};
