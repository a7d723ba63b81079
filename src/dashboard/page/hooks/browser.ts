import { createContext, type RefObject } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { printRoute, type Route } from "../route.ts";

/** Shows a route. `replace` adds no entry to the browser history, for example while the user types a filter. */
export function navigate(route: Route, how: "push" | "replace" = "push"): void {
  const hash = printRoute(route);
  if (how === "push") {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Whether the user has navigated since the page was loaded. Before that, the browser controls the focus. */
export const Navigated = createContext<{ readonly current: boolean }>({ current: false });

/** The heading of a view: receives the focus after navigation, unless another element of the page has it. */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const navigated = useContext(Navigated);
  useEffect(() => {
    if (navigated.current && document.activeElement?.closest("main *, dialog") == null) {
      heading.current?.focus();
    }
  }, []);
  return heading;
}

/** The current time, epoch ms. */
export const Now = createContext(0);

export function useNow(): number {
  return useContext(Now);
}

/** The value of {@link Now}, updated every second if `isLive`, else every 30 seconds. */
export function useClock(isLive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const update = () => {
      setNow(Date.now());
    };
    update();
    const timer = setInterval(update, isLive ? 1_000 : 30_000);
    return () => {
      clearInterval(timer);
    };
  }, [isLive]);
  return now;
}
