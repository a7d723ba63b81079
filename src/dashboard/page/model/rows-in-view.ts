/** The rendered rows of a long list: the visible ones and some around them. */
export interface RowsInView {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** The visible part of a list, in pixels. All rows have the same height. */
export interface View {
  readonly count: number;
  readonly rowHeight: number;
  readonly scrolled: number;
  readonly height: number;
}

/** Extra rows above and below the visible ones, so that scrolling shows no gap. */
const OVERSCAN_ROWS = 8;

export function rowsInView({ count, rowHeight, scrolled, height }: View): RowsInView {
  const top = Math.max(0, Math.floor(scrolled / rowHeight) - OVERSCAN_ROWS);
  const bottom = Math.ceil((scrolled + height) / rowHeight) + OVERSCAN_ROWS;
  return { first: Math.min(top, count), end: Math.max(0, Math.min(count, bottom)) };
}

/** The nearest scroll position at which the row is completely visible. */
export function scrollTo(row: number, { rowHeight, scrolled, height }: View): number {
  const top = row * rowHeight;
  if (top < scrolled) return top;
  return Math.max(scrolled, top + rowHeight - height);
}

/** The row that a key moves to; null for other keys. */
export function rowAfterKey(
  key: string,
  row: number,
  { count, rowHeight, height }: View,
): number | null {
  const page = Math.max(1, Math.floor(height / rowHeight) - 1);
  const to = (target: number) => Math.max(0, Math.min(count - 1, target));
  switch (key) {
    case "ArrowDown":
    case "j":
      return to(row + 1);
    case "ArrowUp":
    case "k":
      return to(row - 1);
    case "PageDown":
      return to(row + page);
    case "PageUp":
      return to(row - page);
    case "Home":
      return to(0);
    case "End":
      return to(count - 1);
    default:
      return null;
  }
}
