import { counted } from "../../language/basics/counted.ts";

/** The first line that is not blank, with the number of further lines. */
export function firstLine(text: string): string {
  const { first, hidden } = head(text);
  return `${first}${hidden === 0 ? "" : ` (+ ${counted(hidden, "line")})`}`;
}

/** The first line that is not blank, and the number of further lines. */
export function head(text: string): { readonly first: string; readonly hidden: number } {
  const [first = "", ...rest] = text.trim().split(/\r?\n/);
  return { first, hidden: rest.length };
}
