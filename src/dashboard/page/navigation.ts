import { createContext, type RefObject } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { printRoute, type Route } from "./route.ts";

/** Shows a route. `replace`: without an entry of its own in the browser's history, as for each typed letter of a filter. */
export function navigate(route: Route, how: "push" | "replace" = "push"): void {
  const hash = printRoute(route);
  if (how === "push") {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Whether the page has navigated since it was loaded: before that, the focus is left to the browser. */
export const Navigated = createContext<{ readonly current: boolean }>({ current: false });

/** The heading of what was navigated to: it receives the focus when it appears, unless something in the page has it. */
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
