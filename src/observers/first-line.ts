import { counted } from "../core/counted.ts";

/** The first line that says something, with how many more there are. */
export function firstLine(text: string): string {
  const { first, hidden } = head(text);
  return `${first}${hidden === 0 ? "" : ` (+ ${counted(hidden, "line")})`}`;
}

/** The first line that says something, and how many follow. */
export function head(text: string): { readonly first: string; readonly hidden: number } {
  const [first = "", ...rest] = text.trim().split(/\r?\n/);
  return { first, hidden: rest.length };
}
