import { useEffect, useRef } from "preact/hooks";

/** Keyboard shortcuts, active while no field has the focus and no dialog is open. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

export function useKeys(keys: Keys): void {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      const at = event.target instanceof Element ? event.target : null;
      if (at?.closest("input, textarea, select, dialog[open]") != null) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const does = now.current[event.key];
      if (does === undefined) return;
      event.preventDefault();
      does();
    };
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("keydown", press);
    };
  }, []);
}
