import type { Position } from "../basics/place.ts";
import type { StateText } from "../workflow/files/state-file.ts";

/** Converts offsets in the body of a state to positions in its file. */
export function placesIn({ body, bodyLine, bodyColumn }: StateText): (offset: number) => Position {
  const lineStarts = [0];
  for (let at = body.indexOf("\n"); at !== -1; at = body.indexOf("\n", at + 1))
    lineStarts.push(at + 1);

  return (offset) => {
    const index = lastIndexUpTo(lineStarts, offset);
    return { line: bodyLine + index, column: bodyColumn + offset - (lineStarts[index] ?? 0) };
  };
}

/** The index of the last of these ascending numbers that is at most `limit`. */
export function lastIndexUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ascending[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
