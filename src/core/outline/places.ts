import type { Position } from "../place.ts";
import type { StateText } from "../workflow/state-file.ts";

/** Where an offset into the body of a state stands in its file. */
export function placesIn({ body, bodyLine, bodyColumn }: StateText): (offset: number) => Position {
  const begins = [0];
  for (let at = body.indexOf("\n"); at !== -1; at = body.indexOf("\n", at + 1)) begins.push(at + 1);

  return (offset) => {
    const index = lastUpTo(begins, offset);
    return { line: bodyLine + index, column: bodyColumn + offset - (begins[index] ?? 0) };
  };
}

/** The index of the last of these ascending numbers that is not above the limit. */
export function lastUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ascending[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
