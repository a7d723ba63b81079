import path from "node:path";

/** The beginning of a text, for one line of a list. */
export function beginningOf(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  return first.slice(0, 160) + (rest.length > 0 || first.length > 160 ? " …" : "");
}

/** A path as somebody in this folder would name it: relative where it lies below. */
export function pathFrom(folder: string, file: string): string {
  const way = path.relative(folder, file);
  const outside = way === "" || way === ".." || way.startsWith(`..${path.sep}`);
  return outside || path.isAbsolute(way) ? file : way;
}
