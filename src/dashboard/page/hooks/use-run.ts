import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { TimelineJson } from "../../../inspect/json/shapes.ts";
import type { OverviewJson, ProblemJson } from "../../api.ts";
import { followRun, type LinkState } from "../follow.ts";
import { NO_STEPS, type StepBook, withEvents, withPage } from "../rows/step-book.ts";
import { addressOf, fetchJson } from "../server.ts";
import { type Loaded, useResource } from "./use-resource.ts";

/** A run with live updates. */
export interface FollowedRun {
  readonly address: string;
  /** The event stream is open, so data that is loaded now has no gaps. */
  readonly isOpen: boolean;
  readonly overview: Loaded<OverviewJson>;
  readonly book: StepBook;
  /** Incremented by each change of the run. */
  readonly version: number;
  /** The run was deleted. */
  readonly gone: ProblemJson | null;
  /** Loads the steps from `low` to `high`. */
  readonly loadSteps: (low: number, high: number) => void;
  /** Loads the last steps of an agent. */
  readonly loadAgentSteps: (agent: string) => void;
}

const POLL_MS = 5_000;
const PAGE_STEPS = 100;
/** Older steps of an agent are only in the list of all steps. */
export const MAX_AGENT_STEPS = 500;

/** Follows a run: events update its steps immediately, everything else is loaded again. */
export function useRun(folder: string, run: string, link: (state: LinkState) => void): FollowedRun {
  const address = addressOf(folder, run);
  const [version, setVersion] = useState(0);
  const [book, setBook] = useState(NO_STEPS);
  const [gone, setGone] = useState<ProblemJson | null>(null);
  const [polls, setPolls] = useState(0);
  const overview = useResource<OverviewJson>(address, version + polls);
  const isHeldUp = (overview.value?.held_up.length ?? 0) > 0;
  const asked = useRef(new Set<string>());
  const [isOpen, setOpen] = useState(false);

  const load = useCallback(
    (query: string) => {
      if (asked.current.has(query)) return;
      asked.current.add(query);
      void fetchJson<TimelineJson>(`${address}/steps?${query}`, new AbortController().signal).then(
        (response) => {
          if (response?.ok === true) setBook((old) => withPage(old, response.value));
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
        load(`limit=${String(PAGE_STEPS)}`);
      },
      logged: (events) => {
        setBook((old) => withEvents(old, events));
      },
      changed: () => {
        setVersion((old) => old + 1);
      },
      reset: () => {
        asked.current = new Set();
        setBook(NO_STEPS);
        load(`limit=${String(PAGE_STEPS)}`);
        setVersion((old) => old + 1);
      },
      gone: setGone,
      link,
    });
  }, [address]);

  // Other runs hold it up: their progress is not among the events of this run.
  useEffect(() => {
    if (!isHeldUp) return;
    const timer = setInterval(() => {
      if (!document.hidden) setPolls((old) => old + 1);
    }, POLL_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isHeldUp]);

  const known = useRef(book.steps);
  known.current = book.steps;
  const loadSteps = useCallback(
    (low: number, high: number) => {
      for (let number = high; number >= low; number -= 1) {
        if (known.current.has(number)) continue;
        const page = Math.ceil(number / PAGE_STEPS);
        load(`limit=${String(PAGE_STEPS)}&before=${String(page * PAGE_STEPS + 1)}`);
      }
    },
    [load],
  );
  const loadAgentSteps = useCallback(
    (agent: string) => {
      load(`limit=${String(MAX_AGENT_STEPS)}&agent=${encodeURIComponent(agent)}`);
    },
    [load],
  );
  return {
    address,
    isOpen,
    overview,
    book,
    version,
    gone,
    loadSteps,
    loadAgentSteps,
  };
}
