import { useEffect, useRef, useState } from "preact/hooks";
import { fetchJson, type RequestProblem } from "../server.ts";

export interface Loaded<T> {
  readonly value: T | null;
  /** Why the last request failed; null if it succeeded. */
  readonly problem: RequestProblem | null;
}

/**
 * Loads a resource, and again whenever `version` changes: one request at a time, with a pause that is proportional
 * to the duration of the request, so that a page cannot overload the server. `path` null: nothing to load.
 */
export function useResource<T>(path: string | null, version: number): Loaded<T> {
  const nothing = { path, value: null, problem: null };
  const [loaded, setLoaded] = useState<Loaded<T> & { readonly path: string | null }>(nothing);
  const [ready, setReady] = useState(0);
  const busy = useRef<string | null>(null);
  const done = useRef("");

  useEffect(() => {
    const requested = `${path ?? ""} ${String(version)}`;
    if (path === null || busy.current === path || done.current === requested) return;
    busy.current = path;
    done.current = requested;
    const started = performance.now();
    void fetchJson<T>(path).then((response) => {
      if (busy.current !== path) return;
      setLoaded((old) => {
        if (response.ok) return { path, value: response.value, problem: null };
        return { path, value: old.path === path ? old.value : null, problem: response.problem };
      });
      const pause = (performance.now() - started) * IDLE_FACTOR;
      setTimeout(
        () => {
          if (busy.current !== path) return;
          busy.current = null;
          setReady((count) => count + 1);
        },
        Math.min(30_000, Math.max(200, pause)),
      );
    });
  }, [path, version, ready]);

  return loaded.path === path ? loaded : nothing;
}

/** Pause after a request, as a multiple of its duration. */
const IDLE_FACTOR = 5;
