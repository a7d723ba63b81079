import path from "node:path";

/** The start of a text, for one line of a list. */
export function startOf(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  return first.slice(0, 160) + (rest.length > 0 || first.length > 160 ? " …" : "");
}

/** A path relative to this folder, or absolute if it is outside. */
export function pathFrom(folder: string, file: string): string {
  const way = path.relative(folder, file);
  const outside = way === "" || way === ".." || way.startsWith(`..${path.sep}`);
  return outside || path.isAbsolute(way) ? file : way;
}

/** `a, b or c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
