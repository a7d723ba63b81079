import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { TimelineJson } from "../../runs/json/shapes.ts";
import type { OverviewJson, ProblemJson } from "../api.ts";
import { followRun, type LinkState } from "./follow.ts";
import { addressOf, read } from "./server.ts";
import { NO_STEPS, type StepBook, withPage, withTold } from "./step-book.ts";
import { type Kept, useServer } from "./use-server.ts";

/** A run as it goes on. */
export interface WatchedRun {
  readonly address: string;
  /** All that happens from here on is told: what is read of its log misses nothing. */
  readonly isOpen: boolean;
  readonly overview: Kept<OverviewJson>;
  readonly book: StepBook;
  /** Grows whenever something of the run has changed. */
  readonly version: number;
  /** The run is not there any more. */
  readonly gone: ProblemJson | null;
  /** Wants the steps of these numbers, from the first to the last. */
  readonly want: (low: number, high: number) => void;
  /** Wants the last steps of an agent. */
  readonly wantOf: (agent: string) => void;
}

const LOOK_MS = 5_000;
/** So many steps are asked for at once. */
const PAGE = 100;
/** So many of one agent: older ones are found in the list of all. */
export const MOST_OF_AGENT = 500;

/** Follows a run: what is told changes its book at once, all else is read again. */
export function useRun(folder: string, run: string, link: (state: LinkState) => void): WatchedRun {
  const address = addressOf(folder, run);
  const [version, setVersion] = useState(0);
  const [book, setBook] = useState(NO_STEPS);
  const [gone, setGone] = useState<ProblemJson | null>(null);
  const [looks, setLooks] = useState(0);
  const overview = useServer<OverviewJson>(address, version + looks);
  const isHeldUp = (overview.value?.held_up.length ?? 0) > 0;
  const asked = useRef(new Set<string>());
  const [isOpen, setOpen] = useState(false);

  const load = useCallback(
    (query: string) => {
      if (asked.current.has(query)) return;
      asked.current.add(query);
      void read<TimelineJson>(`${address}/steps?${query}`, new AbortController().signal).then(
        (said) => {
          if (said?.ok === true) setBook((old) => withPage(old, said.value));
          else asked.current.delete(query);
        },
      );
    },
    [address],
  );

  useEffect(() => {
    asked.current = new Set();
    setBook(NO_STEPS);
    setGone(null);
    setOpen(false);
    return followRun(address, {
      opened: () => {
        setOpen(true);
        load(`limit=${String(PAGE)}`);
      },
      told: (events) => {
        setBook((old) => withTold(old, events));
      },
      changed: () => {
        setVersion((old) => old + 1);
      },
      reset: () => {
        asked.current = new Set();
        setBook(NO_STEPS);
        load(`limit=${String(PAGE)}`);
        setVersion((old) => old + 1);
      },
      gone: setGone,
      link,
    });
  }, [address]);

  // What keeps it changes with other runs, of which this one tells nothing.
  useEffect(() => {
    if (!isHeldUp) return;
    const timer = setInterval(() => {
      if (!document.hidden) setLooks((old) => old + 1);
    }, LOOK_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isHeldUp]);

  const known = useRef(book.steps);
  known.current = book.steps;
  const want = useCallback(
    (low: number, high: number) => {
      for (let number = high; number >= low; number -= 1) {
        if (known.current.has(number)) continue;
        const page = Math.ceil(number / PAGE);
        load(`limit=${String(PAGE)}&before=${String(page * PAGE + 1)}`);
      }
    },
    [load],
  );
  const wantOf = useCallback(
    (agent: string) => {
      load(`limit=${String(MOST_OF_AGENT)}&agent=${encodeURIComponent(agent)}`);
    },
    [load],
  );
  return { address, isOpen, overview, book, version, gone, want, wantOf };
}
