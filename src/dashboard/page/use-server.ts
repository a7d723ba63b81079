import { useEffect, useRef, useState } from "preact/hooks";
import { read, type Trouble } from "./server.ts";

/** Something of the server, as it was read last. */
export interface Kept<T> {
  readonly value: T | null;
  /** Why the last reading has failed; null where it has not. */
  readonly problem: Trouble | null;
}

/**
 * Keeps something of the server: reads it again whenever `version` has changed, one
 * reading at a time, and rests in between for longer the longer a reading takes, so
 * that a page never keeps its server busy. `path` null: nothing is wanted.
 */
export function useServer<T>(path: string | null, version: number): Kept<T> {
  const [kept, setKept] = useState<Kept<T> & { readonly path: string | null }>({
    path,
    value: null,
    problem: null,
  });
  const [ready, setReady] = useState(0);
  const busy = useRef<string | null>(null);
  const done = useRef("");

  useEffect(() => {
    const wanted = `${path ?? ""} ${String(version)}`;
    if (path === null || busy.current === path || done.current === wanted) return;
    busy.current = path;
    done.current = wanted;
    const breakOff = new AbortController();
    const began = performance.now();
    void read<T>(path, breakOff.signal).then((said) => {
      if (said === null || busy.current !== path) return;
      setKept((old) => {
        if (said.ok) return { path, value: said.value, problem: null };
        return { path, value: old.path === path ? old.value : null, problem: said.problem };
      });
      const took = performance.now() - began;
      setTimeout(
        () => {
          if (busy.current !== path) return;
          busy.current = null;
          setReady((count) => count + 1);
        },
        Math.min(30_000, Math.max(200, took * REST)),
      );
    });
  }, [path, version, ready]);

  return kept.path === path ? kept : { value: null, problem: null };
}

/** How much longer it rests than it has read. */
const REST = 5;
