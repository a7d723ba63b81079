import type { RefObject } from "preact";
import { rowAfterKey } from "../rows/rows-in-view.ts";
import type { Keys } from "./use-keys.ts";

/** Keys that move between the row links of a table. `start`: the first row to focus. */
export function rowKeys(table: RefObject<HTMLElement | null>, start: string | null): Keys {
  const move = (key: string | null) => () => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>("a[data-row]") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const known = links.findIndex((link) => link.dataset["row"] === start);
    const rowHeight = links[0]?.closest("tr")?.clientHeight ?? 0;
    const view = { count: links.length, rowHeight: Math.max(1, rowHeight), scrolled: 0 };
    const first = Math.max(0, known);
    const to =
      at === -1 || key === null ? first : rowAfterKey(key, at, { ...view, height: innerHeight });
    links[to ?? first]?.focus();
  };
  return {
    l: move(null),
    ...Object.fromEntries(MOVING.map((key) => [key, move(key)])),
  };
}

const MOVING = ["j", "k", "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"] as const;
