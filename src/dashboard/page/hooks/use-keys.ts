import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { rowAfterKey } from "../model/rows-in-view.ts";

/** Keyboard shortcuts, active while no field has the focus and no dialog is open. */
type Keys = Readonly<Record<string, (() => void) | undefined>>;

export function useKeys(keys: Keys): void {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      const at = event.target instanceof Element ? event.target : null;
      if (at?.closest("input, textarea, select") != null) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const act = now.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("keydown", press);
    };
  }, []);
}

/** Keys that move between the row links of a table. `start`: the first row to focus. */
export function rowKeys(table: RefObject<HTMLElement | null>, start: string | null): Keys {
  const move = (key: string) => () => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>("a[data-row]") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const first = Math.max(
      0,
      links.findIndex((link) => link.dataset["row"] === start),
    );
    const rowHeight = Math.max(1, links[0]?.closest("tr")?.clientHeight ?? 0);
    const view = { count: links.length, rowHeight, scrolled: 0, height: innerHeight };
    const to = at === -1 ? first : rowAfterKey(key, at, view);
    links[to ?? first]?.focus();
  };
  return Object.fromEntries(MOVING.map((key) => [key, move(key)]));
}

const MOVING = ["l", "j", "k", "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"];
