/** Which rows of a long list are drawn: those that are seen, and some around them. */
export interface RowsInView {
  readonly first: number;
  /** The row behind the last one. */
  readonly end: number;
}

/** What of a list is seen. Sizes in pixels; all rows have the same height. */
export interface View {
  readonly count: number;
  readonly rowHeight: number;
  readonly scrolled: number;
  readonly height: number;
}

/** So many rows are drawn above and below what is seen, so that scrolling shows no gap. */
const AROUND = 8;

export function rowsInView({ count, rowHeight, scrolled, height }: View): RowsInView {
  const top = Math.max(0, Math.floor(scrolled / rowHeight) - AROUND);
  const bottom = Math.ceil((scrolled + height) / rowHeight) + AROUND;
  return { first: Math.min(top, count), end: Math.max(0, Math.min(count, bottom)) };
}

/** How far to scroll so that this row is seen whole: as little as possible. */
export function scrollTo(row: number, { rowHeight, scrolled, height }: View): number {
  const top = row * rowHeight;
  if (top < scrolled) return top;
  return Math.max(scrolled, top + rowHeight - height);
}

/** The row that a key leads to; null for a key that leads nowhere. */
export function rowAfterKey(
  key: string,
  row: number,
  { count, rowHeight, height }: View,
): number | null {
  const page = Math.max(1, Math.floor(height / rowHeight) - 1);
  const to = (wanted: number) => Math.max(0, Math.min(count - 1, wanted));
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
