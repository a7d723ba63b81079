/**
 * The candidate that was probably meant by `word`, for "did you mean". One that
 * differs only in case wins over every other; else the fewest slips (a letter
 * more, less, other, or two swapped), about one for every three letters and
 * never more than `limit`; among equals the first. `null` when nothing is near.
 */
export function nearest(
  word: string,
  candidates: readonly string[],
  limit: number = Number.POSITIVE_INFINITY,
): string | null {
  const folded = word.toLowerCase();
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;

  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    const longest = Math.max(folded.length, other.length);
    const most = Math.min(limit, Math.floor(longest / 3));
    if (longest > LONGEST || Math.abs(folded.length - other.length) > most) continue;

    const slips = distance(folded, other);
    if (slips > most) continue;
    // Case decides only among equals: `LONGEST` keeps the fraction below one slip.
    const cost = slips + distance(word, candidate) / 1_000;
    if (cost < fewest) {
      best = candidate;
      fewest = cost;
    }
  }
  return best;
}

/** Longer words are not typed by hand, and comparing them costs the square of their length. */
const LONGEST = 300;

/** How many letters to add, drop, change or swap with their neighbour to get from `a` to `b`. */
function distance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);

  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
