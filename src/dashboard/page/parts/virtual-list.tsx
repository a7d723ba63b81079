import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  type RowsInView,
  rowAfterKey,
  rowsInView,
  scrollTo,
  type View,
} from "../model/rows-in-view.ts";

/** Pixels. */
const ROW_HEIGHT = 56;

interface Props<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
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
  const { label, rows, keyOf, chosen, onChoose, draw, onVisible } = props;
  const box = useRef<HTMLDivElement>(null);
  const { view, updateView, first, end } = useView(box, rows.length, onVisible);
  const [active, setActive] = useState<string | null>(null);
  const place = rows.findIndex((row) => keyOf(row) === (active ?? chosen));
  useInitialScroll(box, place, view);
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
        const row = rows[Math.floor(view.scrolled / ROW_HEIGHT)];
        if (place === -1 && row !== undefined) setActive(keyOf(row));
      }}
      onKeyDown={move}
      {...(place === -1 ? {} : { "aria-activedescendant": idOf(label, place) })}
    >
      {rows.length === 0 && <p class="empty">{props.empty}</p>}
      <div class="room" role="presentation" style={{ height: pixels(rows.length) }}>
        {rows.slice(first, end).map((row, index) => {
          const at = first + index;
          const key = keyOf(row);
          return (
            <Item
              key={key}
              {...{ id: idOf(label, at), at, count: rows.length, isMarked: at === place }}
              onClick={() => {
                setActive(key);
                onChoose(row);
              }}
            >
              {draw(row)}
            </Item>
          );
        })}
      </div>
    </div>
  );
}

interface ItemProps {
  readonly id: string;
  readonly at: number;
  readonly count: number;
  readonly isMarked: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

function Item({ id, at, count, isMarked, onClick, children }: ItemProps) {
  return (
    // biome-ignore lint/a11y: the list handles keys and has aria-activedescendant
    <div
      id={id}
      class="item"
      role="option"
      aria-selected={isMarked}
      aria-posinset={at + 1}
      aria-setsize={count}
      style={{ top: pixels(at), height: pixels(1) }}
      onClick={onClick}
    >
      {children}
    </div>
  );
}

function idOf(label: string, at: number): string {
  return `${label}-${String(at)}`;
}

/** The height of so many rows. */
function pixels(rows: number): string {
  return `${String(rows * ROW_HEIGHT)}px`;
}

/** The visible part of the list. Keeps it when rows are added above. */
function useView(
  box: RefObject<HTMLElement | null>,
  count: number,
  onVisible: ((seen: RowsInView) => void) | undefined,
) {
  const [seen, setSeen] = useState({ scrolled: 0, height: 700 });
  const updateView = () => {
    const at = box.current;
    if (at === null) return;
    const next = { scrolled: at.scrollTop, height: at.clientHeight };
    setSeen((old) => (old.scrolled === next.scrolled && old.height === next.height ? old : next));
  };
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(updateView);
    observer.observe(box.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  const before = useRef(count);
  useLayoutEffect(() => {
    const more = count - before.current;
    before.current = count;
    const at = box.current;
    if (at !== null && at.scrollTop > 0 && more > 0) at.scrollTop += more * ROW_HEIGHT;
  }, [count]);
  const view = { count, rowHeight: ROW_HEIGHT, ...seen };
  const { first, end } = rowsInView(view);
  useEffect(() => {
    onVisible?.({ first, end });
  }, [first, end, count, onVisible]);
  return { view, updateView, first, end };
}

/** Scrolls to the row that was open, when the list is shown again. */
function useInitialScroll(box: RefObject<HTMLElement | null>, place: number, view: View): void {
  const isDone = useRef(false);
  useLayoutEffect(() => {
    const at = box.current;
    if (isDone.current || at === null || place === -1) return;
    isDone.current = true;
    at.scrollTop = scrollTo(place, { ...view, height: at.clientHeight });
  }, [place]);
}
