import { createContext, type RefObject } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { printRoute, type Route } from "./route.ts";

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

/** Whether the element that had the focus is gone. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
