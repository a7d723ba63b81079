import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LoggedJson, TimelineJson } from "../../../inspect/json/shapes.ts";
import type { OverviewJson, ProblemJson } from "../../api.ts";
import { followRun, type LinkState } from "../follow.ts";
import { NO_STEPS, withEvents, withPage } from "../model/step-book.ts";
import { addressOf, fetchJson } from "../server.ts";
import { useResource } from "./use-resource.ts";

const POLL_MS = 5_000;
const PAGE_STEPS = 100;
/** Older steps of an agent are only in the list of all steps. */
export const MAX_AGENT_STEPS = 500;

export type FollowedRun = ReturnType<typeof useRun>;

/** Follows a run: events update its steps immediately, everything else is loaded again. */
export function useRun(folder: string, run: string, link: (state: LinkState) => void) {
  const address = addressOf(folder, run);
  const [version, setVersion] = useState(0);
  const [gone, setGone] = useState<ProblemJson | null>(null);
  const [polls, setPolls] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const { addEvents, reload, ...steps } = useSteps(address);
  const overview = useResource<OverviewJson>(address, version + polls);
  const isHeldUp = (overview.value?.held_up.length ?? 0) > 0;

  useEffect(() => {
    const change = () => {
      setVersion((old) => old + 1);
    };
    return followRun(address, {
      opened: () => {
        setOpen(true);
        reload();
      },
      logged: addEvents,
      changed: change,
      reset: () => {
        reload();
        change();
      },
      gone: setGone,
      link,
    });
  }, [address]);

  // Progress of the runs and limits that hold up this run is not among its events.
  useEffect(() => {
    if (!isHeldUp) return;
    const timer = setInterval(() => {
      if (!document.hidden) setPolls((old) => old + 1);
    }, POLL_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isHeldUp]);

  return {
    ...{ address, overview, ...steps },
    /** The event stream is open, so data that is loaded now has no gaps. */
    isOpen,
    /** Incremented by each change of the run. */
    version,
    /** Set when the run was deleted. */
    gone,
  };
}

function useSteps(address: string) {
  const [book, setBook] = useState(NO_STEPS);
  const requested = useRef(new Set<string>());
  const loaded = useRef(book.steps);
  loaded.current = book.steps;
  const actions = useMemo(() => {
    const load = async (query: string) => {
      if (requested.current.has(query)) return;
      requested.current.add(query);
      const response = await fetchJson<TimelineJson>(`${address}/steps?${query}`);
      if (response.ok) setBook((old) => withPage(old, response.value));
      else requested.current.delete(query);
    };
    return {
      addEvents: (events: readonly LoggedJson[]) => {
        setBook((old) => withEvents(old, events));
      },
      reload: () => {
        requested.current = new Set();
        setBook(NO_STEPS);
        void load(`limit=${String(PAGE_STEPS)}`);
      },
      loadSteps: (low: number, high: number) => {
        for (let number = high; number >= low; number -= 1) {
          if (loaded.current.has(number)) continue;
          const page = Math.ceil(number / PAGE_STEPS);
          void load(`limit=${String(PAGE_STEPS)}&before=${String(page * PAGE_STEPS + 1)}`);
        }
      },
      loadAgentSteps: (agent: string) => {
        void load(`limit=${String(MAX_AGENT_STEPS)}&agent=${encodeURIComponent(agent)}`);
      },
    };
  }, [address]);
  return { book, ...actions };
}
