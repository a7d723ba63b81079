/**
 * The candidate for "did you mean": one that differs only in case, else the one with the smallest edit
 * distance (insertions, deletions, substitutions, swaps), at most a third of the length and `limit`.
 * Among equals the first. Null if none is near.
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
    const allowed = Math.min(limit, Math.floor(longest / 3));
    if (longest > LONGEST || Math.abs(folded.length - other.length) > allowed) continue;

    const edits = distance(folded, other);
    if (edits > allowed) continue;
    // Case breaks ties: `LONGEST` keeps the fraction below one edit.
    const cost = edits + distance(word, candidate) / 1_000;
    if (cost < fewest) {
      best = candidate;
      fewest = cost;
    }
  }
  return best;
}

/** Comparing is quadratic in the length. */
const LONGEST = 300;

/** The Damerau-Levenshtein distance (optimal string alignment). */
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
