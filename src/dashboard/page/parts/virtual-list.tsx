import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  type RowsInView,
  rowAfterKey,
  rowsInView,
  scrollTo,
  type View,
} from "../rows/rows-in-view.ts";

interface Props<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowHeight: number;
  readonly keyOf: (row: Row) => string;
  /** Key of the open row. */
  readonly chosen: string | null;
  readonly onChoose: (row: Row) => void;
  readonly draw: (row: Row) => ComponentChildren;
  /** Called with the range of rendered rows. */
  readonly onVisible?: (seen: RowsInView) => void;
  /** Text for an empty list. */
  readonly empty: string;
}

/**
 * A long list, newest row first: renders only visible rows, and keeps the scroll position when rows are added.
 * It is one tab stop; arrows, j and k move the selection, Enter opens a row.
 */
export function VirtualList<Row>(props: Props<Row>) {
  const { label, rows, rowHeight, keyOf, chosen, onChoose, draw, onVisible: onSeen } = props;
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ scrolled: 0, height: 700 });
  const [active, setActive] = useState<string | null>(null);
  const view: View = { count: rows.length, rowHeight, ...seen };
  const { first, end } = rowsInView(view);

  const updateView = () => {
    const at = box.current;
    if (at === null) return;
    const next = { scrolled: at.scrollTop, height: at.clientHeight };
    setSeen((old) => (old.scrolled === next.scrolled && old.height === next.height ? old : next));
  };
  useEffect(() => {
    const at = box.current;
    if (at === null) return;
    const watcher = new ResizeObserver(updateView);
    watcher.observe(at);
    return () => {
      watcher.disconnect();
    };
  }, []);
  const count = useRef(rows.length);
  useLayoutEffect(() => {
    const more = rows.length - count.current;
    count.current = rows.length;
    const at = box.current;
    if (at !== null && at.scrollTop > 0 && more > 0) at.scrollTop += more * rowHeight;
  }, [rows.length, rowHeight]);
  useEffect(() => {
    onSeen?.({ first, end });
  }, [first, end, rows.length, onSeen]);

  const marked = active ?? chosen;
  const place = marked === null ? -1 : rows.findIndex((row) => keyOf(row) === marked);
  // When the list is shown again, scroll to the row that was open.
  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    const at = box.current;
    if (isPlaced.current || at === null || place === -1) return;
    isPlaced.current = true;
    at.scrollTop = scrollTo(place, { ...view, height: at.clientHeight });
  }, [place]);
  const move = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = rows[place];
    if (event.key === "Enter" && at !== undefined) {
      event.preventDefault();
      onChoose(at);
      return;
    }
    const to = rowAfterKey(event.key, place, view);
    const row = to === null ? undefined : rows[to];
    if (to === null || row === undefined) return;
    event.preventDefault();
    setActive(keyOf(row));
    if (box.current !== null) box.current.scrollTop = scrollTo(to, view);
  };

  return (
    <div
      class="list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      ref={box}
      onScroll={updateView}
      onFocus={() => {
        const row = rows[Math.floor(seen.scrolled / rowHeight)];
        if (place === -1 && row !== undefined) setActive(keyOf(row));
      }}
      onKeyDown={move}
      {...(place === -1 ? {} : { "aria-activedescendant": idOf(label, place) })}
    >
      {rows.length === 0 && <p class="empty">{props.empty}</p>}
      <div
        class="room"
        role="presentation"
        style={{ height: `${String(rows.length * rowHeight)}px` }}
      >
        {rows.slice(first, end).map((row, index) => {
          const at = first + index;
          const key = keyOf(row);
          return (
            // biome-ignore lint/a11y: the list handles keys and has aria-activedescendant
            <div
              key={key}
              id={idOf(label, at)}
              class="item"
              role="option"
              aria-selected={key === marked}
              aria-posinset={at + 1}
              aria-setsize={rows.length}
              style={{ top: `${String(at * rowHeight)}px`, height: `${String(rowHeight)}px` }}
              onClick={() => {
                setActive(key);
                onChoose(row);
              }}
            >
              {draw(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function idOf(label: string, at: number): string {
  return `${label.replaceAll(/\W+/g, "-")}-${String(at)}`;
}
