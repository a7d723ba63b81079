/** The first line that says something, with how many more there are. */
export function firstLine(text: string): string {
  const { first, hidden } = head(text);
  return `${first}${hidden === 0 ? "" : ` (+ ${count(hidden, "line")})`}`;
}

/** The first line that says something, and how many follow. */
export function head(text: string): { readonly first: string; readonly hidden: number } {
  const [first = "", ...rest] = text.trim().split(/\r?\n/);
  return { first, hidden: rest.length };
}

/** So many of them: `1 agent`, `2 agents`. */
export function count(n: number, noun: string): string {
  return `${String(n)} ${noun}${n === 1 ? "" : "s"}`;
}
