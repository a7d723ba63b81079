import type { Shell } from "../../shell.ts";
import { formatTable } from "../../words/table.ts";
import type { FleetOptions } from "./in-fleet.ts";

interface ListFormat<T> {
  readonly headings: readonly string[];
  readonly cells: (item: T) => readonly string[];
  readonly json: (item: T) => object;
  /** Printed to standard error if there are no items. */
  readonly empty: string;
}

/** Prints items as JSON lines or as a left-aligned table. */
export function printList<T>(
  items: readonly T[],
  { headings, cells, json, empty }: ListFormat<T>,
  options: FleetOptions,
  { out, err }: Pick<Shell, "out" | "err">,
): void {
  if (options.json === true) {
    for (const item of items) out.line(JSON.stringify(json(item)));
  } else if (items.length === 0) {
    err.line(empty);
  } else {
    const alignments = headings.map(() => "left" as const);
    for (const line of formatTable([headings, ...items.map(cells)], alignments)) out.line(line);
  }
}
